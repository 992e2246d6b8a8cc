#include "cli/hosts_file.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/clock.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/quantity.h"
#include "cli/regular_file.h"
#include "cli/seed_file.h"
#include "cli/suggestion.h"
#include "node/host_change.h"

namespace opic::cli {
namespace {

constexpr char kHostSettings[] = "block, delay TIME, pages N, bytes SIZE";

absl::Status WrongLine(const std::string& what) { return absl::InvalidArgumentError(what); }

std::string OrMeant(const std::string& meant) {
  return meant.empty() ? "" : absl::StrCat("; did you mean ", meant, " ?");
}

// A name alone is what an --auth-file begins with.
absl::Status WrongBeginning(const std::string& word) {
  const bool host = absl::StrContains(word, '.') && node::HostNamed(word).ok();
  return WrongLine(
      absl::StrCat(base::Quoted(word), ": a line must begin with \"host NAME\" or \"domain NAME\"",
                   OrMeant(host ? "host " + word : Nearest(word, {"host", "domain"}))));
}

// The words behind a name, one after the other.
class HostSettings {
 public:
  HostSettings(const std::vector<std::string>& words, size_t first, node::HostChange& change)
      : words_(words), next_(first), change_(change) {}

  absl::Status TakeAll() {
    while (next_ < words_.size()) RETURN_IF_ERROR(TakeOne(words_[next_++]));
    return absl::OkStatus();
  }

 private:
  absl::Status TakeOne(const std::string& word) {
    if (word == "block") return Set(word, change_.blocked, absl::StatusOr<bool>(true));
    if (word != "delay" && word != "pages" && word != "bytes") {
      return WrongLine(absl::StrCat(base::Quoted(word), " is not a setting; it must be one of ",
                                    kHostSettings,
                                    OrMeant(Nearest(word, {"block", "delay", "pages", "bytes"}))));
    }
    if (next_ == words_.size()) {
      return WrongLine(absl::StrCat("\"", word, "\" needs a value: ", kHostSettings));
    }
    const std::string& value = words_[next_++];
    if (word == "delay") return Set(word, change_.delay, ParseDuration(value, word));
    if (word == "bytes") return Set(word, change_.bytes, ParseBytes(value, word));
    return Set(word, change_.pages, PagesOf(value));
  }

  static absl::StatusOr<uint64_t> PagesOf(const std::string& value) {
    if (const std::string why = CheckCount(value); !why.empty()) return WrongLine("pages: " + why);
    uint64_t pages = 0;
    return absl::SimpleAtoi(value, &pages) ? absl::StatusOr<uint64_t>(pages) : WrongLine("pages");
  }

  template <typename Field, typename Value>
  static absl::Status Set(const std::string& word, Field& field, absl::StatusOr<Value> value) {
    if (!value.ok())  // it is no flag here
      return WrongLine(std::string(absl::StripPrefix(value.status().message(), "--")));
    if (field) return WrongLine(absl::StrCat("\"", word, "\" stands twice in this line"));
    field = *value;
    return absl::OkStatus();
  }

  const std::vector<std::string>& words_;
  size_t next_;
  node::HostChange& change_;
};

class RuleLines {
 public:
  // A line without its comment.
  absl::Status Take(absl::string_view line, uint64_t number) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r\v\f"), absl::SkipEmpty());
    if (words.empty()) return absl::OkStatus();
    if (words[0] != "host" && words[0] != "domain") return WrongBeginning(words[0]);
    if (words.size() < 2)
      return WrongLine(absl::StrCat("\"", words[0],
                                    "\" must be followed by a name and settings: ", kHostSettings));
    return TakeRule(words, number);
  }

  std::vector<schedule::HostRule> list() && {
    std::vector<schedule::HostRule> rules;
    rules.reserve(rules_.size());
    for (auto& [key, entry] : rules_) rules.push_back(std::move(entry.rule));
    return rules;
  }

 private:
  struct RuleLine {
    schedule::HostRule rule;
    uint64_t line = 0;
  };

  absl::Status TakeRule(const std::vector<std::string>& words, uint64_t number) {
    node::HostChange change{.host = words[1], .domain = words[0] == "domain"};
    ASSIGN_OR_RETURN(const std::string name, node::HostNamed(change.host));
    if (absl::StrContains(name, '*')) return node::PatternRefused(name, node::WrittenIn::kFile);
    if (words.size() < 3)
      return WrongLine(
          absl::StrCat(words[0], " ", base::Quoted(name), " has no setting: give ", kHostSettings));
    RETURN_IF_ERROR(HostSettings(words, 2, change).TakeAll());
    ASSIGN_OR_RETURN(schedule::HostRule rule, node::RuleNamed(change, node::WrittenIn::kFile));
    node::Apply(change, rule);
    const auto [known, added] =
        rules_.try_emplace({!rule.domain, rule.name}, RuleLine{rule, number});
    if (!added) {
      return WrongLine(absl::StrCat(words[0], " ", name, " is in line ", known->second.line,
                                    ", too: put all its settings into one line"));
    }
    if (rules_.size() <= schedule::kHostRulesMax) return absl::OkStatus();
    return WrongLine(
        absl::StrCat("there are more than ", schedule::kHostRulesMax,
                     " rules up to here, and a node keeps no more: write a domain in place "
                     "of its hosts"));
  }

  std::map<std::pair<bool, std::string>, RuleLine> rules_;  // not a domain, name
};

}  // namespace

absl::StatusOr<node::HostsFile> ParseHostsFile(std::string_view bytes, const std::string& path) {
  absl::string_view text(bytes.data(), bytes.size());
  const std::string name = absl::StrCat("--hosts-file ", path);
  if (absl::StartsWith(text, "\xff\xfe") || absl::StartsWith(text, "\xfe\xff"))
    return WrongLine(name + " is written in UTF-16; save it as UTF-8 (or plain text)");
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");
  RuleLines rules;
  uint64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::Status taken =
        line.size() <= kHostsLineBytesMax
            ? rules.Take(WithoutComment(line), number)
            : WrongLine(absl::StrCat("the line has more than ", kHostsLineBytesMax, " bytes"));
    if (!taken.ok()) return base::WithContext(taken, absl::StrCat(name, ", line ", number));
  }
  node::HostsFile file{.path = path};
  file.rules = std::move(rules).list();
  return file;
}

absl::StatusOr<node::HostsFile> ReadHostsFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, "--hosts-file", kHostsFileMibMax));
  ASSIGN_OR_RETURN(node::HostsFile file, ParseHostsFile(text, path));
  file.read = base::RealClock::Get().Now();
  return file;
}

}  // namespace opic::cli

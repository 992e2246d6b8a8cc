#include "cli/hosts_file.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
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

constexpr char kHostSettings[] =
    "block, delay TIME, parallel N, share PERCENT, pages N, bytes SIZE, depth N, group NAME";
constexpr char kGroupSettings[] = "delay TIME, parallel N, share PERCENT, pages N, bytes SIZE";
constexpr size_t kGroupNameBytesMax = 64;

absl::Status WrongLine(const std::string& what) { return absl::InvalidArgumentError(what); }

// A name alone is what an --auth-file begins with.
absl::Status WrongBeginning(const std::string& word) {
  const bool host = absl::StrContains(word, '.') && node::HostNamed(word).ok();
  return WrongLine(
      absl::StrCat(base::Quoted(word),
                   ": a line must begin with \"host NAME\", \"domain NAME\" or \"group NAME\"",
                   DidYouMean(host ? "host " + word : Nearest(word, {"host", "domain", "group"}))));
}

// What a line says.
struct LineSettings {
  node::HostChange change;
  std::optional<std::string> group;  // that the host is in
  std::optional<double> share;       // of --rate
  std::optional<uint32_t> parallel;  // requests at once
  std::optional<uint32_t> depth;     // links from a seed
};

absl::StatusOr<std::string> GroupNamed(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  });
  if (plain && word.size() <= kGroupNameBytesMax) return word;
  return WrongLine(absl::StrCat("group: ", base::Quoted(word), " is no name of a group: at most ",
                                kGroupNameBytesMax, " letters, digits, '-', '_' and '.'"));
}

absl::StatusOr<uint64_t> PagesGiven(const std::string& word) {
  if (const std::string why = CheckCount(word); !why.empty()) return WrongLine("pages: " + why);
  uint64_t pages = 0;
  return absl::SimpleAtoi(word, &pages) ? absl::StatusOr<uint64_t>(pages) : WrongLine("pages");
}

absl::StatusOr<uint32_t> DepthGiven(const std::string& word) {
  uint32_t depth = 0;
  if (absl::SimpleAtoi(word, &depth)) return depth;
  return WrongLine(absl::StrCat("depth: ", base::Quoted(word),
                                " must be a number of links from a seed, 0 for any"));
}

absl::StatusOr<uint32_t> ParallelGiven(const std::string& word) {
  uint32_t parallel = 0;
  if (absl::SimpleAtoi(word, &parallel) && parallel >= 1 && parallel <= schedule::kParallelMax)
    return parallel;
  return WrongLine(absl::StrCat("parallel: ", base::Quoted(word),
                                " must be a number of requests at once, from 1 to ",
                                schedule::kParallelMax));
}

// "5%"
absl::StatusOr<double> ShareGiven(const std::string& word) {
  absl::string_view number = word;
  double percent = 0;
  if (absl::ConsumeSuffix(&number, "%") && absl::SimpleAtod(number, &percent) && percent > 0 &&
      percent <= 100)
    return percent / 100;
  return WrongLine(absl::StrCat("share: ", base::Quoted(word),
                                " must be a part of --rate: above 0%, up to 100%, such as 5%"));
}

// The words behind a name, one after the other.
class HostSettings {
 public:
  HostSettings(const std::vector<std::string>& words, LineSettings& settings)
      : words_(words), of_group_(words[0] == "group"), settings_(settings) {}

  absl::Status TakeAll() {
    while (next_ < words_.size()) RETURN_IF_ERROR(TakeOne(words_[next_++]));
    return absl::OkStatus();
  }
  const char* known() const { return of_group_ ? kGroupSettings : kHostSettings; }

 private:
  absl::Status TakeOne(const std::string& word) {
    const std::vector<std::string> of_all = {"delay", "parallel", "share", "pages", "bytes"},
                                   of_hosts = {"block", "delay", "parallel", "share",
                                               "pages", "bytes", "depth",    "group"};
    const std::vector<std::string>& names = of_group_ ? of_all : of_hosts;
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      return WrongLine(absl::StrCat(base::Quoted(word), " is not a setting of a ", words_[0],
                                    "; it must be one of ", known(),
                                    DidYouMean(Nearest(word, names))));
    }
    node::HostChange& change = settings_.change;
    if (word == "block") return Set(word, change.blocked, absl::StatusOr<bool>(true));
    if (next_ == words_.size())
      return WrongLine(absl::StrCat("\"", word, "\" needs a value: ", known()));
    const std::string& value = words_[next_++];
    if (word == "delay") return Set(word, change.delay, ParseDuration(value, word));
    if (word == "bytes") return Set(word, change.bytes, ParseBytes(value, word));
    if (word == "pages") return Set(word, change.pages, PagesGiven(value));
    if (word == "share") return Set(word, settings_.share, ShareGiven(value));
    if (word == "parallel") return Set(word, settings_.parallel, ParallelGiven(value));
    if (word == "depth") return Set(word, settings_.depth, DepthGiven(value));
    return Set(word, settings_.group, GroupNamed(value));
  }

  template <typename Field, typename Value>
  static absl::Status Set(const std::string& word, Field& field, absl::StatusOr<Value> value) {
    if (!value.ok())  // it is no flag here
      return WrongLine(std::string(absl::StripPrefix(value.status().message(), "--")));
    if (field) return WrongLine(absl::StrCat("\"", word, "\" stands twice in this line"));
    field = *std::move(value);
    return absl::OkStatus();
  }

  const std::vector<std::string>& words_;
  const bool of_group_;
  size_t next_ = 2;
  LineSettings& settings_;
};

class RuleLines {
 public:
  // A line without its comment.
  absl::Status Take(absl::string_view line, uint64_t number) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r\v\f"), absl::SkipEmpty());
    if (words.empty()) return absl::OkStatus();
    if (words[0] != "host" && words[0] != "domain" && words[0] != "group")
      return WrongBeginning(words[0]);
    LineSettings settings;
    HostSettings rest(words, settings);
    if (words.size() < 2) {
      return WrongLine(absl::StrCat("\"", words[0],
                                    "\" must be followed by a name and settings: ", rest.known()));
    }
    if (words.size() < 3) {
      return WrongLine(absl::StrCat(words[0], " ", base::Quoted(words[1]), " has no setting: give ",
                                    rest.known()));
    }
    if (words[0] == "group") return TakeGroup(words, rest, settings, number);
    return TakeHost(words, rest, settings, number);
  }

  // What the lines say together; each group that is named must have a line.
  absl::Status Into(node::HostsFile& file) const {
    for (const auto& [key, line] : rules_) {
      if (line.says_something) file.rules.push_back(line.rule);
      if (line.share) file.shares[schedule::NameOf(line.rule)] = *line.share;
      if (line.depth) file.depths[schedule::NameOf(line.rule)] = *line.depth;
      if (!line.group) continue;
      if (!groups_.contains(*line.group)) {
        return WrongLine(
            absl::StrCat("line ", line.number, ": ", line.rule.name, " is in the group ",
                         *line.group, ", which has no line: write \"group ", *line.group,
                         " delay TIME\", \"parallel N\", \"share PERCENT\" or ", "\"pages N\""));
      }
      file.members[schedule::NameOf(line.rule)] = *line.group;
    }
    for (const auto& [name, line] : groups_) file.groups[name] = line.settings;
    return absl::OkStatus();
  }

 private:
  struct RuleLine {
    schedule::HostRule rule;
    bool says_something = false;  // that is a rule
    std::optional<std::string> group;
    std::optional<double> share;
    std::optional<uint32_t> depth;
    uint64_t number = 0;
  };
  struct GroupLine {
    node::GroupSettings settings;
    uint64_t number = 0;
  };

  // One more line of `kind` and `name`; `before`: the number of the first, if it is not this one.
  absl::Status CheckLine(const std::string& kind, const std::string& name, bool added,
                         uint64_t before) const {
    if (!added) {
      return WrongLine(absl::StrCat(kind, " ", name, " is in line ", before,
                                    ", too: put all its settings into one line"));
    }
    if (rules_.size() + groups_.size() <= schedule::kHostRulesMax) return absl::OkStatus();
    return WrongLine(absl::StrCat("there are more than ", schedule::kHostRulesMax,
                                  " rules up to here, and a node keeps no more: write a domain in "
                                  "place of its hosts"));
  }

  absl::Status TakeHost(const std::vector<std::string>& words, HostSettings& rest,
                        LineSettings& settings, uint64_t number) {
    node::HostChange& change = settings.change;
    change.host = words[1];
    change.domain = words[0] == "domain";
    ASSIGN_OR_RETURN(const std::string name, node::HostNamed(change.host));
    if (absl::StrContains(name, '*')) return node::PatternRefused(name, node::WrittenIn::kFile);
    RETURN_IF_ERROR(rest.TakeAll());
    if (settings.group && settings.share) {
      return WrongLine(absl::StrCat(name, " has a share, and is in the group ", *settings.group,
                                    ": a host of a group gets its pages of the group's share"));
    }
    RuleLine line{.says_something = !node::OnlyLifts(change) || settings.parallel,
                  .group = settings.group,
                  .share = settings.share,
                  .depth = settings.depth,
                  .number = number};
    node::HostChange checked = change;
    checked.blocked = true;  // a name is checked when something is set
    ASSIGN_OR_RETURN(line.rule, node::RuleNamed(checked, node::WrittenIn::kFile));
    node::Apply(change, line.rule);
    line.rule.parallel = settings.parallel;
    const auto [known, added] = rules_.try_emplace(schedule::NameOf(line.rule), line);
    return CheckLine(words[0], name, added, known->second.number);
  }

  absl::Status TakeGroup(const std::vector<std::string>& words, HostSettings& rest,
                         LineSettings& settings, uint64_t number) {
    const node::HostChange& change = settings.change;
    ASSIGN_OR_RETURN(const std::string name, GroupNamed(words[1]));
    RETURN_IF_ERROR(rest.TakeAll());
    if (const std::string why = node::WrongBudget(change.pages, change.bytes); !why.empty())
      return WrongLine(why);
    if (const std::string why = node::WrongDelay(change.delay); !why.empty()) return WrongLine(why);
    GroupLine line{{change.pages, change.bytes, change.delay, settings.share, settings.parallel},
                   number};
    const auto [known, added] = groups_.try_emplace(name, line);
    return CheckLine(words[0], name, added, known->second.number);
  }

  std::map<schedule::HostName, RuleLine> rules_;
  std::map<std::string, GroupLine> groups_;
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
  const absl::Status whole = rules.Into(file);
  if (!whole.ok()) return WrongLine(absl::StrCat(name, ", ", whole.message()));
  return file;
}

absl::StatusOr<node::HostsFile> ReadHostsFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, "--hosts-file", kHostsFileMibMax));
  ASSIGN_OR_RETURN(node::HostsFile file, ParseHostsFile(text, path));
  file.read = base::RealClock::Get().Now();
  return file;
}

}  // namespace opic::cli

#include "cli/seed_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/human.h"
#include "cli/suggestion.h"
#include "ledger/rows.h"
#include "node/page_filter.h"
#include "url/url.h"

namespace opic::cli {
namespace {

constexpr size_t kFileBytesMax = size_t{1} << 30;

// "git.test/a" lacks only its scheme.
std::string WithScheme(const std::string& typed) {
  const std::optional<url::Url> url = url::Parse("http://" + typed);
  if (!url || absl::StrContains(typed, "://") || absl::StrContains(typed, '@')) return "";
  const std::string host(url->host());
  const bool like_a_host = absl::StrContains(host, '.') || host == "localhost" || host[0] == '[';
  return like_a_host ? url->text() : "";
}

// A wrong input, not a full disk.
absl::Status TooLong(const std::string& name, uint64_t bytes_max) {
  return absl::InvalidArgumentError(absl::StrCat(name, " has more than ", HumanBytes(bytes_max),
                                                 "; give the seeds in several runs"));
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  if (path == "-") return ReadSeedText(std::cin, kFileBytesMax);
  absl::StatusOr<std::string> text = base::ReadFile(path, kFileBytesMax);
  if (absl::IsResourceExhausted(text.status())) return TooLong(path, kFileBytesMax);
  if (!text.ok()) return base::OfNamedFile(text.status());
  return text;
}

// Of a line of `opic export --pages --json`; nothing: it is no such line.
struct ExportedPage {
  std::string url, state;
};
std::optional<ExportedPage> ReadExportedPage(absl::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("url") || !json["url"].is_string()) return std::nullopt;
  const auto state = json.value("state", nlohmann::json());
  return ExportedPage{json["url"], state.is_string() ? state.get<std::string>() : ""};
}

// The URL on a line; empty: there is none, or its page needs no fetch.
std::string UrlOn(absl::string_view line, SeedFile& file) {
  if (!absl::StartsWith(line, "{"))
    return std::string(absl::StripTrailingAsciiWhitespace(WithoutComment(line)));
  const std::optional<ExportedPage> page = ReadExportedPage(line);
  if (!page) return std::string(line);
  if (page->state == node::kUnreadState) return page->url;
  ++(page->state == ledger::Name(ledger::VisitKind::kOutOfScope) ? file.out_of_scope
                                                                 : file.visited);
  return "";
}

void TellOfPagesLeftOut(const SeedFile& file, const std::string& name) {
  std::vector<std::string> parts;
  if (file.visited > 0)
    parts.push_back(
        base::Counted(file.visited, "page that had been visited", "pages that had been visited"));
  if (file.out_of_scope > 0)
    parts.push_back(base::Counted(file.out_of_scope, "page out of its crawl's scope",
                                  "pages out of its crawl's scope"));
  if (parts.empty()) return;
  fmt::print(stderr, "opic: left out of {}: {}; {} left\n", name, absl::StrJoin(parts, ", "),
             base::Counted(file.seeds.size(), "unread page is", "unread pages are"));
}

}  // namespace

std::string WhyNoSeed(const std::string& typed) {
  url::Rejected why = url::Rejected::kNone;
  if (url::Parse(typed, nullptr, &why)) return "";
  const std::string reason = why == url::Rejected::kMalformed ? "it has no scheme such as http://"
                                                              : std::string(url::Name(why));
  return reason + DidYouMean(WithScheme(typed));
}

uint64_t WithCredentials(const std::vector<std::string>& seeds) {
  return static_cast<uint64_t>(
      std::count_if(seeds.begin(), seeds.end(), [](const std::string& seed) {
        const size_t begin = seed.find("://");
        if (begin == seed.npos) return false;
        const size_t end = seed.find_first_of("/?#\\", begin + 3);
        return seed.substr(begin, end - begin).find('@') != seed.npos;
      }));
}

void TellOfCredentials(const std::vector<std::string>& seeds) {
  const uint64_t count = WithCredentials(seeds);
  if (count == 0) return;
  fmt::print(stderr,
             "opic: {} a user name or a password, which is left out; --auth-file gives a host "
             "one\n",
             base::Counted(count, "seed has", "seeds have"));
}

absl::string_view WithoutComment(absl::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const bool begins = i == 0 || absl::ascii_isspace(static_cast<unsigned char>(line[i - 1]));
    if (line[i] == '#' && begins) return line.substr(0, i);
  }
  return line;
}

absl::StatusOr<std::string> ReadSeedText(std::istream& in, uint64_t bytes_max) {
  std::string text;
  uint64_t bytes = 0;
  size_t line = 0;
  char block[1 << 14];
  while (in.read(block, sizeof(block)), in.gcount() > 0) {
    bytes += static_cast<uint64_t>(in.gcount());
    if (bytes > bytes_max) {
      return TooLong("standard input", bytes_max);
    }
    for (std::streamsize i = 0; i < in.gcount(); ++i) {
      line = block[i] == '\n' ? 0 : line + 1;
      if (line <= kSeedLineBytesMax + 1) text.push_back(block[i]);
    }
  }
  return text;
}

absl::Status CheckSeed(const std::string& seed) {
  const std::string why = WhyNoSeed(seed);
  if (why.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("seed ", base::Quoted(seed), " is not a URL: ", why));
}

absl::StatusOr<SeedFile> ParseSeeds(std::string_view bytes, const std::string& name) {
  absl::string_view text(bytes.data(), bytes.size());
  if (absl::StartsWith(text, "\xff\xfe") || absl::StartsWith(text, "\xfe\xff")) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is written in UTF-16; save it as UTF-8 (or plain text)"));
  }
  if (absl::StartsWith(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  SeedFile file;
  uint64_t number = 0;
  for (const absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    if (raw.size() > kSeedLineBytesMax) {
      if (++file.junk_lines <= kJunkShown) {
        file.junk.push_back(
            absl::StrCat(name, ":", number, ": ", base::Quoted({raw.data(), raw.size()}),
                         " is not a URL: the line has more than ", kSeedLineBytesMax, " bytes"));
      }
      continue;
    }
    const std::string line = UrlOn(absl::StripAsciiWhitespace(raw), file);
    if (line.empty()) continue;
    const std::string why = WhyNoSeed(line);
    if (why.empty()) {
      file.seeds.push_back(line);
    } else if (++file.junk_lines <= kJunkShown) {
      file.junk.push_back(
          absl::StrCat(name, ":", number, ": ", base::Quoted(line), " is not a URL: ", why));
    }
  }
  return file;
}

absl::StatusOr<std::vector<std::string>> ReadSeeds(const std::string& path, bool strict) {
  const std::string name = path == "-" ? "standard input" : path;
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return base::WithContext(text.status(), "--seed-file");
  absl::StatusOr<SeedFile> file = ParseSeeds(*text, name);
  if (!file.ok()) return base::WithContext(file.status(), "--seed-file");
  TellOfPagesLeftOut(*file, name);
  if (file->junk_lines == 0) return std::move(file->seeds);
  const std::string shown = absl::StrJoin(file->junk, "\n");
  if (strict || file->seeds.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(shown, "\n", base::Counted(file->junk_lines, "line"), " of ", name,
                     file->junk_lines == 1 ? " is" : " are", " not a URL",
                     !strict                 ? ", and no line is"
                     : file->junk_lines == 1 ? "; without --strict it is left out"
                                             : "; without --strict they are left out"));
  }
  fmt::print(stderr, "{}\nopic: left out {} of {}; {} left (--strict refuses such a file)\n", shown,
             base::Counted(file->junk_lines, "line"), name,
             base::Counted(file->seeds.size(), "seed is", "seeds are"));
  return std::move(file->seeds);
}

}  // namespace opic::cli

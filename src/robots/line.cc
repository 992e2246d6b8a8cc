#include "robots/line.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "robots/limits.h"

namespace opic::robots {
namespace {

// What authors write for a key, the usual slips included.
struct Spelling {
  std::string_view text;
  Key key;
};
constexpr Spelling kSpellings[] = {
    {"user-agent", Key::kUserAgent},   {"useragent", Key::kUserAgent},
    {"user agent", Key::kUserAgent},   {"allow", Key::kAllow},
    {"disallow", Key::kDisallow},      {"dissallow", Key::kDisallow},
    {"dissalow", Key::kDisallow},      {"disalow", Key::kDisallow},
    {"diasllow", Key::kDisallow},      {"disallaw", Key::kDisallow},
    {"crawl-delay", Key::kCrawlDelay}, {"crawldelay", Key::kCrawlDelay},
    {"crawl delay", Key::kCrawlDelay}, {"sitemap", Key::kSitemap},
    {"site-map", Key::kSitemap},       {"site map", Key::kSitemap},
};

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\v\f";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return absl::ascii_tolower(x) == absl::ascii_tolower(y);
  });
}

Key KeyOf(std::string_view text) {
  for (const Spelling& spelling : kSpellings) {
    if (EqualsIgnoreCase(text, spelling.text)) return spelling.key;
  }
  return Key::kUnknown;
}

Line LineOf(std::string_view text) {
  text = Trimmed(text.substr(0, text.find('#')));
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const Key key = KeyOf(Trimmed(text.substr(0, colon)));
    if (key != Key::kUnknown) return {key, Trimmed(text.substr(colon + 1))};
  }
  // A forgotten colon, as in "sitemap http://a.test/": exactly two words. More is prose.
  const size_t blank = text.find_first_of(" \t");
  if (blank == std::string_view::npos) return {};
  const std::string_view value = Trimmed(text.substr(blank));
  if (value.find_first_of(" \t") != std::string_view::npos) return {};
  return {KeyOf(text.substr(0, blank)), value};
}

std::string_view WithinLimit(std::string_view body) {
  if (body.size() <= kRobotsBytesMax) return body;
  const size_t end = body.substr(0, kRobotsBytesMax + 1).find_last_of("\r\n");
  return body.substr(0, end == std::string_view::npos ? 0 : end);
}

}  // namespace

LineReader::LineReader(std::string_view body)
    : cut_(body.size() > kRobotsBytesMax), rest_(WithinLimit(body)) {
  if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);
}

bool LineReader::Next(Line& line) {
  if (rest_.empty()) return false;
  const size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  line = LineOf(rest_.substr(0, end));
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return true;
}

}  // namespace opic::robots

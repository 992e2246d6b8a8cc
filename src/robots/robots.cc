#include "robots/robots.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "robots/line.h"
#include "robots/pattern.h"

namespace opic::robots {
namespace {

// The name in "Name/1.0 (remarks)", in lower case. Section 2.2.1 knows letters, "_" and "-"; digits
// are kept too, so that "bot2" is not taken for "bot".
std::string ProductToken(std::string_view text) {
  const auto in_token = [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-';
  };
  std::string token(text.begin(), std::find_if_not(text.begin(), text.end(), in_token));
  absl::AsciiStrToLower(&token);
  return token;
}

bool IsEveryone(std::string_view value) {
  return !value.empty() && value[0] == '*' && (value.size() == 1 || absl::ascii_isspace(value[1]));
}

// Seconds, with a fraction or without. Nothing for all else: a sign, an exponent, "inf", a unit.
std::optional<absl::Duration> CrawlDelayOf(std::string_view value) {
  double seconds = 0;
  if (value.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  if (!absl::SimpleAtod(absl::string_view(value.data(), value.size()), &seconds)) {
    return std::nullopt;
  }
  const absl::Duration delay = std::min(absl::Seconds(seconds), kCrawlDelayMax);
  return absl::Trunc(delay, absl::Microseconds(1));
}

// What Matches costs at most, in steps of about a nanosecond: a search for each part, all of them
// together over the path once.
size_t StepsOf(std::string_view pattern, std::string_view path) {
  constexpr size_t kSearchSteps = 16;
  return path.size() + kSearchSteps * std::count(pattern.begin(), pattern.end(), '*');
}

}  // namespace

// Reads the lines once and gathers what is for us and what is for everyone; which of the two counts
// is only known at the end.
class GroupReader {
 public:
  explicit GroupReader(std::string_view product_token) : token_(ProductToken(product_token)) {}

  void Read(const Line& line) {
    switch (line.key) {
      case Key::kUserAgent:
        return ReadAgent(line.value);
      case Key::kAllow:
        return ReadRule(true, line.value);
      case Key::kDisallow:
        return ReadRule(false, line.value);
      case Key::kCrawlDelay:
        return ReadDelay(line.value);
      case Key::kSitemap:
        return ReadSitemap(line.value);
      case Key::kUnknown:
        return;  // section 2.2.4: other records do not interfere
    }
  }

  Robots Finish(bool cut) && {
    Rules& rules = ours_.named ? ours_ : everyones_;
    if (cut || rules.cut) rules.rules.push_back({false, "/"});
    Robots robots;
    robots.SetRules(std::move(rules.rules));
    robots.crawl_delay_ = rules.crawl_delay;
    robots.sitemaps_ = std::move(sitemaps_);
    return robots;
  }

 private:
  struct Rules {
    bool named = false;    // by any group; an empty group counts
    bool current = false;  // by the group being read
    std::vector<Robots::Rule> rules;
    size_t kept_bytes = 0;  // of their lines
    bool cut = false;       // kept_bytes would be more than kKeptBytesMax
    std::optional<absl::Duration> crawl_delay;
  };

  // Adds a line with `value` to `kept` bytes. False, and adds none: they would be too many.
  static bool Keep(std::string_view value, size_t& kept) {
    constexpr size_t kKeyBytes = sizeof("allow:\n") - 1;
    const size_t bytes = value.size() + kKeyBytes;
    if (bytes > kKeptBytesMax - kept) return false;
    kept += bytes;
    return true;
  }

  void ReadAgent(std::string_view value) {
    if (in_rules_) ours_.current = everyones_.current = in_rules_ = false;
    Rules* named = nullptr;
    if (IsEveryone(value)) {
      named = &everyones_;
    } else if (!token_.empty() && ProductToken(value) == token_) {
      named = &ours_;
    }
    if (named) named->named = named->current = true;
  }

  void ReadRule(bool allow, std::string_view value) {
    in_rules_ = true;
    // The empty pattern matches nothing, and every path begins with "/".
    if (value.empty() || (value[0] != '/' && value[0] != '*')) return;
    for (Rules* rules : {&ours_, &everyones_}) {
      if (!rules->current || rules->cut) continue;
      rules->cut = !Keep(value, rules->kept_bytes);
      if (!rules->cut) rules->rules.push_back({allow, NormalisedPattern(value)});
    }
  }

  // No rule of the protocol, so it does not end the list of user agents either.
  void ReadDelay(std::string_view value) {
    const std::optional<absl::Duration> delay = CrawlDelayOf(value);
    for (Rules* rules : {&ours_, &everyones_}) {
      if (rules->current) rules->crawl_delay = std::max(rules->crawl_delay, delay);
    }
  }

  void ReadSitemap(std::string_view value) {
    if (!value.empty() && Keep(value, sitemap_bytes_)) sitemaps_.emplace_back(value);
  }

  const std::string token_;
  bool in_rules_ = false;  // the next user-agent line opens a new group
  Rules ours_;
  Rules everyones_;
  std::vector<std::string> sitemaps_;
  size_t sitemap_bytes_ = 0;  // of their lines
};

Robots Robots::DisallowAll() {
  Robots robots;
  robots.SetRules({{false, "/"}});
  return robots;
}

Robots Robots::Parse(std::string_view body, std::string_view product_token) {
  GroupReader groups(product_token);
  LineReader lines(body);
  for (Line line; lines.Next(line);) groups.Read(line);
  return std::move(groups).Finish(lines.cut());
}

size_t Robots::bytes() const {
  size_t bytes = sizeof(*this) + literals_.capacity() * sizeof(Literal) +
                 wildcards_.capacity() * sizeof(uint32_t);
  for (const Rule& rule : rules_) bytes += sizeof(rule) + rule.pattern.capacity();
  for (const std::string& url : sitemaps_) bytes += sizeof(std::string) + url.capacity();
  return bytes;
}

void Robots::SetRules(std::vector<Rule> rules) {
  const auto before = [](const Rule& a, const Rule& b) {
    if (a.pattern.size() != b.pattern.size()) return a.pattern.size() > b.pattern.size();
    if (a.allow != b.allow) return a.allow;
    return a.pattern < b.pattern;
  };
  const auto same = [](const Rule& a, const Rule& b) {
    return a.allow == b.allow && a.pattern == b.pattern;
  };
  std::sort(rules.begin(), rules.end(), before);
  rules.erase(std::unique(rules.begin(), rules.end(), same), rules.end());
  rules.shrink_to_fit();
  rules_ = std::move(rules);
  MakeIndex();
}

void Robots::MakeIndex() {
  literals_.clear();
  wildcards_.clear();
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].pattern.find('*') != std::string::npos) {
      wildcards_.push_back(i);
    } else {
      literals_.push_back({i, kNone});
    }
  }
  std::sort(literals_.begin(), literals_.end(), [&](const Literal& a, const Literal& b) {
    const int order = PatternOf(a).compare(PatternOf(b));
    return order != 0 ? order < 0 : a.rule < b.rule;
  });
  const auto same = [&](const Literal& a, const Literal& b) {
    return PatternOf(a) == PatternOf(b);
  };
  literals_.erase(std::unique(literals_.begin(), literals_.end(), same), literals_.end());
  literals_.shrink_to_fit();
  wildcards_.shrink_to_fit();
  // Sorted, what begins with a pattern stands right behind it: the one before, or one of those that
  // it begins with, is the longest.
  for (uint32_t i = 1; i < literals_.size(); ++i) {
    uint32_t parent = i - 1;
    while (parent != kNone && !PatternOf(literals_[i]).starts_with(PatternOf(literals_[parent]))) {
      parent = literals_[parent].parent;
    }
    literals_[i].parent = parent;
  }
}

uint32_t Robots::FirstLiteral(const std::string& path) const {
  const auto after = [&](std::string_view text, const Literal& literal) {
    return text < PatternOf(literal);
  };
  // The whole path with its "$" is longer than any beginning of it, so it comes first.
  const std::string whole = path + '$';
  const auto end = std::upper_bound(literals_.begin(), literals_.end(), whole, after);
  if (end != literals_.begin() && PatternOf(end[-1]) == whole) return end[-1].rule;

  const auto next = std::upper_bound(literals_.begin(), end, path, after);
  uint32_t at =
      next == literals_.begin() ? kNone : static_cast<uint32_t>(next - literals_.begin()) - 1;
  while (at != kNone && !path.starts_with(PatternOf(literals_[at]))) at = literals_[at].parent;
  return at == kNone ? kNone : literals_[at].rule;
}

bool Robots::Allows(std::string_view path_and_query) const {
  if (rules_.empty()) return true;
  const std::string path = NormalisedPath(path_and_query.empty() ? "/" : path_and_query);
  if (path == "/robots.txt") return true;
  uint32_t first = FirstLiteral(path);
  size_t steps = 0;
  for (const uint32_t rule : wildcards_) {
    if (rule > first) break;
    const std::string_view pattern = rules_[rule].pattern;
    const bool begins = path.starts_with(pattern.substr(0, pattern.find('*')));
    steps += begins ? StepsOf(pattern, path) : 1;
    if (steps > kWildcardStepsMax) return false;
    if (begins && Matches(pattern, path)) {
      first = rule;
      break;
    }
  }
  return first == kNone || rules_[first].allow;
}

Access AccessOf(int http_status) {
  switch (http_status / 100) {
    case 2:
      return Access::kParse;
    case 3:
      return Access::kRedirect;
    case 4:
      return Access::kAllowAll;
    default:
      return Access::kDisallowAll;
  }
}

}  // namespace opic::robots

// robots.txt: the Robots Exclusion Protocol, RFC 9309, with Crawl-delay and Sitemap lines.
//
//   Robots robots = Robots::Parse(body, "opic");
//   if (robots.Allows(url.path_and_query())) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "robots/limits.h"

namespace opic::robots {

// The rules of one robots.txt for one product token. A total function of any bytes: never fails,
// never slow. Memory: at most 3 bytes for each byte kept (kKeptBytesMax) and 48 a rule.
//
// Thread safety: immutable.
class Robots {
 public:
  static Robots AllowAll() { return Robots(); }
  static Robots DisallowAll();
  // Keeps the rules of all groups that name `product_token` (case-insensitive), else of the "*"
  // groups. The longest of our Crawl-delay lines counts. To be known as cut, a body must
  // have more than kRobotsBytesMax; or the rules, more than kKeptBytesMax.
  static Robots Parse(std::string_view body, std::string_view product_token);

  // Longest match wins, allow wins ties, "/robots.txt" is always allowed (section 2.2.2). Rules
  // without wildcards are found in an index; the others are tried one by one, with at most
  // kWildcardStepsMax steps for a path: one that would need more is disallowed.
  bool Allows(std::string_view path_and_query) const;
  std::optional<absl::Duration> crawl_delay() const { return crawl_delay_; }  // whole microseconds
  const std::vector<std::string>& sitemaps() const { return sitemaps_; }  // as written, in order
  size_t bytes() const;                                                   // of memory, about

  // The verdict kept in the store; Decode refuses what Encode did not write.
  std::string Encode() const;
  static std::optional<Robots> Decode(std::string_view bytes);
  // crawl_delay() of one that Encode wrote, without reading its rules; also nothing: it did not.
  static std::optional<absl::Duration> CrawlDelayIn(std::string_view bytes);

 private:
  struct Rule {
    bool allow;
    std::string pattern;  // NormalisedPattern
  };
  // A rule without "*", by its place in rules_.
  struct Literal {
    uint32_t rule;
    uint32_t parent;  // in literals_: the longest other one that this one begins with; or kNone
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Keeps `rules` in the order in which they are asked: the first that matches decides.
  void SetRules(std::vector<Rule> rules);
  void MakeIndex();
  std::string_view PatternOf(const Literal& literal) const { return rules_[literal.rule].pattern; }
  // The first rule without "*" that matches, or kNone.
  uint32_t FirstLiteral(const std::string& path) const;
  friend class GroupReader;

  std::vector<Rule> rules_;
  std::vector<Literal> literals_;    // sorted by pattern, each pattern once
  std::vector<uint32_t> wildcards_;  // the other rules, by their place in rules_, ascending
  std::optional<absl::Duration> crawl_delay_;
  std::vector<std::string> sitemaps_;
};

// What an HTTP answer to robots.txt means (section 2.3.1).
enum class Access {
  kParse,        // 2xx: the body holds the rules
  kRedirect,     // 3xx with a location: follow, at least five
  kAllowAll,     // 4xx, and too many redirects: unavailable
  kDisallowAll,  // 5xx and unreachable: complete disallow, ask again later
};
// Any other number (1xx, 0 for no answer) is unreachable.
Access AccessOf(int http_status);

}  // namespace opic::robots

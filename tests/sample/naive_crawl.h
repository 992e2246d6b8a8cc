// A crawler that shares nothing with the code under test: breadth first, one request at a time,
// links found by regular expressions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace opic::sample {

struct Crawled {
  std::map<std::string, std::set<std::string>> links;  // of each URL known, itself left out
  std::set<std::string> fetched;  // all known but those forbidden by robots.txt
};

// Fetches all it can reach from `seed`, whatever the host, from a server on loopback.
Crawled NaiveCrawl(const std::string& seed, uint16_t port);

// References of `href` attributes outside comments, scripts and rel=nofollow.
std::vector<std::string> HtmlReferences(const std::string& html);

// `reference` on the page `base`, without fragment; empty when it is not http.
std::string Resolve(const std::string& base, const std::string& reference);

}  // namespace opic::sample

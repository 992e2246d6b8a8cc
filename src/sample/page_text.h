// The bytes of the sample web's pages: HTML as it is found in the wild, an Atom feed, a sitemap,
// robots.txt.
//
// What a page links to is exactly `web.links`. Beside those it has what looks like links and is
// none to a crawler: rel=nofollow, comments, scripts, mailto.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "sample/web.h"
#include "sample/words.h"

namespace opic::sample {

// Some 2 to 10 KB, more where there are hundreds of links. About one page in twenty is Latin-1.
// `page` is an HTML page or a forbidden one, which has no links.
std::string HtmlText(const Web& web, uint32_t page);
Charset CharsetOf(const Web& web, uint32_t page);

std::string FeedText(const Web& web, uint32_t page);     // RFC 4287
std::string SitemapText(const Web& web, uint32_t page);  // sitemaps.org protocol 0.9

// Empty where the site has none.
std::string RobotsText(const Web& web, const Site& site);

// When the page last changed: some second of 2024.
absl::Time LastModified(const Web& web, uint32_t page);

}  // namespace opic::sample

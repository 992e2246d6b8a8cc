// The bytes of the sample web's pages: HTML as it is found in the wild, an Atom feed, a sitemap,
// robots.txt.
//
// What a page links to is exactly the links of its state. Beside those it has what looks like links
// and is none to a crawler: rel=nofollow, comments, scripts, mailto.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "sample/page_state.h"
#include "sample/web.h"
#include "sample/words.h"

namespace opic::sample {

// Some 2 to 10 KB, more where there are hundreds of links. About one page in twenty is Latin-1.
// `page` is an HTML page or a forbidden one, which has no links. Another number of changes makes
// another text.
std::string HtmlText(const Web& web, uint32_t page, const PageState& state);
Charset CharsetOf(const Web& web, uint32_t page);

// With the dates that are told of the page and of those it lists, whose states it asks for.
std::string FeedText(const Web& web, uint32_t page, StateAt states);  // RFC 4287
std::string SitemapText(const Web& web, uint32_t page,
                        StateAt states);  // sitemaps.org protocol 0.9

// Empty where the site has none.
std::string RobotsText(const Web& web, const Site& site);

}  // namespace opic::sample

// The links of a JSON Feed (https://www.jsonfeed.org/version/1.1/).
//
// Total over any bytes: links are those before the first byte that is no JSON, or is nested deeper
// than a feed may be. Linear in the text; no recursion.
#pragma once

#include <string_view>

#include "links/link_sink.h"

namespace opic::links {

// The text is an object that says of itself which version of JSON Feed it is.
bool IsJsonFeed(std::string_view text);

// The feed's home page, its next page and those of its authors; of each item its URL, the page that
// it is about, its attachments and authors. No pictures, no hubs, no extensions ("_...").
void AddJsonFeedLinks(std::string_view text, LinkSink& sink);

}  // namespace opic::links

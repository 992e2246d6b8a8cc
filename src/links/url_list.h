// Texts that are lists of URLs: sitemaps of text (https://www.sitemaps.org/protocol.html).
//
// Total over any bytes; linear in them.
#pragma once

#include <string_view>

#include "links/link_sink.h"

namespace opic::links {

// Each line that is not blank is an absolute http(s) URL, and there is one at least.
bool IsUrlList(std::string_view text);

// REQUIRES: IsUrlList(text).
void AddUrlList(std::string_view text, LinkSink& sink);

}  // namespace opic::links

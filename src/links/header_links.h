// The links in the header of a response.
//
// Total over any bytes; linear in them.
#pragma once

#include <string_view>

#include "links/link_relations.h"
#include "links/link_sink.h"

namespace opic::links {

// The value of the Link field (RFC 8288 section 3), several lines joined by ", ". Links of another
// context than the document ("anchor") are left out. One of them may name its canonical (RFC 6596).
void AddLinkHeader(std::string_view value, const LinkRelations& relations, LinkSink& sink);
// The value of the Refresh field: as <meta http-equiv=refresh>.
void AddRefreshHeader(std::string_view value, LinkSink& sink);

}  // namespace opic::links

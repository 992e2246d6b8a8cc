// The category of a page, by what its answer says and shows, and by its URL.
//
// Thread safety: pure.
#pragma once

#include <string_view>

#include "links/links.h"
#include "refresh/category.h"
#include "url/url.h"

namespace opic::desk {

// `kind` is what the body was parsed as. A type that tells nothing (text/plain,
// application/octet-stream, none) leaves it to the end of the URL's path.
refresh::Category CategoryOf(const url::Url& page, links::Kind kind, std::string_view content_type);

}  // namespace opic::desk

// Whether a URL is that of a sitemap, by its look. Sitemaps are served under all sorts of types
// (application/x-gzip, application/octet-stream), and are read whatever their type.
//
// Thread safety: pure.
#pragma once

#include "url/url.h"

namespace opic::desk {

// "sitemap" is somewhere in the path, or the path ends with ".xml" or ".xml.gz"; in any case.
bool LooksLikeSitemap(const url::Url& url);

}  // namespace opic::desk

// Whether a URL is that of a sitemap, by its look, or because a robots.txt says so. Sitemaps are
// served under all sorts of types (application/x-gzip, application/octet-stream), and are read
// whatever their type.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "url/url.h"

namespace opic::desk {

// "sitemap" is somewhere in the path, or the path ends with ".xml" or ".xml.gz"; in any case.
bool LooksLikeSitemap(const url::Url& url);

// The path ends with ".gz", in any case: a sitemap where a robots.txt names it, else an archive.
bool IsPacked(const url::Url& url);

// Whether one of the `sitemaps` of its origin's robots.txt, as written there, is `url`. Most are
// told apart by their ends, without parsing them: there may be 100,000. Of the others the first
// 2,000 are parsed.
bool IsNamed(const url::Url& url, const std::vector<std::string>& sitemaps);

}  // namespace opic::desk

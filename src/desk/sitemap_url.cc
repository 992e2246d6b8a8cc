#include "desk/sitemap_url.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace opic::desk {

bool LooksLikeSitemap(const url::Url& url) {
  const std::string path = absl::AsciiStrToLower({url.path().data(), url.path().size()});
  return absl::StrContains(path, "sitemap") || absl::EndsWith(path, ".xml") ||
         absl::EndsWith(path, ".xml.gz");
}

bool IsPacked(const url::Url& url) {
  return absl::EndsWithIgnoreCase({url.path().data(), url.path().size()}, ".gz");
}

bool IsNamed(const url::Url& url, const std::vector<std::string>& sitemaps) {
  for (const std::string& sitemap : sitemaps) {
    if (!sitemap.ends_with(url.path_and_query())) continue;
    const std::optional<url::Url> named = url::Parse(sitemap, &url);
    if (named && *named == url) return true;
  }
  return false;
}

}  // namespace opic::desk

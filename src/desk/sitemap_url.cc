#include "desk/sitemap_url.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "url/percent_encoding.h"

namespace opic::desk {
namespace {

constexpr int kParsedMax = 2000;  // each page that ends with ".gz" takes as long: some milliseconds

// An absolute URL of plain characters ends as it does when it was parsed.
bool IsWrittenAsParsed(const std::string& text) {
  return text.find("://") != text.npos && text.find("/.") == text.npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("-._~/:=&?,", c);
         });
}

}  // namespace

bool LooksLikeSitemap(const url::Url& url) {
  const std::string path = absl::AsciiStrToLower({url.path().data(), url.path().size()});
  return absl::StrContains(path, "sitemap") || absl::EndsWith(path, ".xml") ||
         absl::EndsWith(path, ".xml.gz");
}

bool IsPacked(const url::Url& url) {
  return absl::EndsWithIgnoreCase({url.path().data(), url.path().size()}, ".gz");
}

bool IsNamed(const url::Url& url, const std::vector<std::string>& sitemaps) {
  const std::optional<url::Url> robots = url::Parse("/robots.txt", &url);
  int parsed = 0;
  for (const std::string& sitemap : sitemaps) {
    if (IsWrittenAsParsed(sitemap) && !sitemap.ends_with(url.path_and_query())) continue;
    if (++parsed > kParsedMax) return false;
    const std::optional<url::Url> named =
        url::Parse(url::EncodedUnlessUtf8(sitemap), robots ? &*robots : nullptr);
    if (named && *named == url) return true;
  }
  return false;
}

}  // namespace opic::desk

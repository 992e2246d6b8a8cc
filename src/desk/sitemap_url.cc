#include "desk/sitemap_url.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace opic::desk {

bool LooksLikeSitemap(const url::Url& url) {
  const std::string path = absl::AsciiStrToLower({url.path().data(), url.path().size()});
  return absl::StrContains(path, "sitemap") || absl::EndsWith(path, ".xml") ||
         absl::EndsWith(path, ".xml.gz");
}

}  // namespace opic::desk

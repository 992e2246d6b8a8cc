#include "desk/document.h"

#include <string>
#include <utility>

#include "archive/gunzip.h"

namespace opic::desk {

links::Result LinksOf(const url::Url& page, const fetch::Response& response,
                      const DeskOptions& options) {
  links::Document document;
  document.body = response.body;
  document.content_type = response.content_type;
  std::string unpacked;
  if (archive::IsGzip(response.body)) {  // a packed sitemap
    absl::StatusOr<std::string> whole =
        archive::Gunzip(response.body, options.fetch.body_bytes_max, &unpacked);
    if (whole.ok()) unpacked = *std::move(whole);
    document.body = unpacked;    // what was readable of a damaged one counts
    document.content_type = "";  // says "gzip"; what is inside is sniffed
  }
  document.x_robots_tag = response.x_robots_tag;
  document.link_header = response.link;
  document.refresh_header = response.refresh;
  document.url = &page;
  document.product_token = options.product_token;
  return links::Extract(document, options.links);
}

}  // namespace opic::desk

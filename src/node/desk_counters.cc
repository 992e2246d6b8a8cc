#include "node/desk_counters.h"

namespace opic::node {

void DeskCounters::Count(const fetch::Response& response, bool robots) {
  wire_bytes += response.wire_bytes;
  body_bytes += response.body.size();
  robots ? ++robots_requests : ++requests;
  if (response.error == fetch::Error::kBodyTooLarge) {
    ++too_large;
  } else if (response.error != fetch::Error::kNone) {
    ++network_errors;
  }
  if (response.status >= 400 && !robots) ++http_errors;
}

void DeskCounters::Count(const links::Result& document) {
  links_found += document.links.size();
  links_rejected += document.rejected;
  if (document.parser == links::Parser::kScanner) ++scanner_pages;
}

}  // namespace opic::node

// What of a fetched page was not read, or does not count, as it is kept with the page and shown to
// people.
//
// A history row keeps it in front of the HTTP status: 1,000 times the bits, plus the status, which
// has three digits (docs/formats/store.md).
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fetch/fetcher.h"
#include "links/links.h"

namespace opic::desk {

struct LeftOut {
  bool type = false;        // its body: the type is not on the --accept list
  bool body = false;        // what came behind --body-max
  bool links = false;       // what came behind --links-max, or behind the bytes of them
  bool long_links = false;  // links that are too long (url::kUrlBytesMax)
  bool canonical = false;   // its own links: its canonical page is paid alone (canonical.h)
  bool duplicate = false;   // likewise: the first page of its content is (duplicate.h)

  bool any() const { return type || body || links || long_links || canonical || duplicate; }
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

// `document` is what was read of `response`.
LeftOut LeftOutOf(const fetch::Response& response, const links::Result& document);

// As a history row keeps both. REQUIRES: `status` is below 1,000.
uint16_t RowStatusOf(uint16_t status, LeftOut left_out);
LeftOut LeftOutInRow(int row_status);
// The HTTP status, or the number of a failure (desk/failure.h).
int StatusInRow(int row_status);

// Words for programs: "type", "body", "links", "long_links", "canonical".
std::vector<std::string> NamesOf(LeftOut left_out);
// For people: sentences, or nothing.
std::string Describe(LeftOut left_out);

}  // namespace opic::desk

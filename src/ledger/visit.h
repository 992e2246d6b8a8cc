// The outcome of a fetch, or the decision that there is none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "ledger/rows.h"

namespace opic::ledger {

struct Link {
  PageId page;
  std::string url;
};

struct Visit {
  PageId page;
  VisitKind kind = VisitKind::kFetched;
  uint16_t http_status = 0;
  std::vector<Link> links;    // distinct; kFetched and kRedirect only
  int64_t at = 0;             // Unix seconds; 0: no request was made
  uint64_t content_hash = 0;  // another one: the content has changed
  uint8_t category = 0;       // of the content of kFetched (refresh/category.h); not kept by itself
  std::string etag, last_modified;
  std::string plan;  // HistoryRow::plan from now on; empty: as before
  // Links of the page that it does not pay: they become known, as its links do, and are not kept.
  std::vector<Link> discovered;
  // The key of the content of kFetched, and of the page's content before: pages of a site with the
  // same key are duplicates (desk/duplicate.h); 0: it cannot be one. Not kept.
  uint64_t content_key = 0, content_key_before = 0;
  // What tells which pages say nearly the same (desk/near_text.h); empty: it is compared with none.
  std::string near_text;
};

}  // namespace opic::ledger

// What the near duplicates and similar pages of a store are like, for who reads all pages.
// near_pages.cc, which writes their rows, implements it.
//
// Thread safety: confined to one thread; it may be made on another one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "store/store.h"

namespace opic::node {

class NearDuplicates {
 public:
  // Of the pages after `after`, or of all, as they are now. The store must outlive it.
  NearDuplicates(store::Store& store, std::optional<PageId> after);

  // The content hash of the page that `page` is a near duplicate of, or similar to, and of what
  // that one is similar to if it is (near_pages.h); 0: it is none, or has changed since it was
  // found: its content is not `hash`. REQUIRES: pages ascend.
  absl::StatusOr<uint64_t> FirstHash(PageId page, uint64_t hash);

 private:
  store::Store& store_;
  std::unique_ptr<store::Cursor> texts_;
};

}  // namespace opic::node

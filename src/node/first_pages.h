// Which page of a site was the first to be read with some content. Others with the same content are
// its duplicates (desk/duplicate.h; docs/decisions/2026-11-23-exact-duplicates.md).
//
// Each content has a row in Table::kMeta, in the same write as the visit that brought it: so kill
// -9 leaves both or neither. A row is a hint: it is checked against the history row of the page
// that it names, which may have changed or left since. The row of a content that its page no longer
// has is deleted. Reading a page costs a lookup of such a row. RocksDB's filters, which are part of
// --memory, answer it without a read from disk if the content is new.
//
// When the first page has another content, is gone, has become a duplicate or names a canonical,
// the next page that is read with the content takes its place. So two pages are never duplicates of
// each other, and a first page pays its own links: duplicates make no circle.
//
// Of the pages that are no exact duplicates, near duplicates are found by NearPages, and may pay
// the page alone likewise that they belong to; pages that are similar to another one are only told.
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "desk/duplicate.h"
#include "ledger/ledger.h"
#include "node/near_pages.h"
#include "store/store.h"

namespace opic::node {

// The page of this node that was first read with the content `hash` of `key`, and has it still.
absl::StatusOr<std::optional<PageId>> FirstPageWith(uint64_t key, uint64_t hash,
                                                    const ledger::Ledger& ledger,
                                                    store::Store& store);

class FirstPages {
 public:
  struct Counts {
    uint64_t duplicates = 0;  // visits of such pages
    uint64_t taken_over = 0;  // first pages that another one has replaced
  };

  // Both must outlive it.
  FirstPages(desk::DuplicateUse use, desk::DuplicateUse near_use, ledger::Ledger& ledger,
             store::Store& store)
      : use_(use),
        near_use_(near_use),
        ledger_(ledger),
        store_(store),
        near_(ledger, store, near_use == desk::DuplicateUse::kMergeSimilar) {}

  // Finds the duplicates among visits that are recorded next. One that is merged pays the first
  // page alone: its links become `discovered`, and its status says so (desk/left_out.h).
  absl::Status Judge(absl::Span<ledger::Visit> visits);
  // Rows for pages that arrive with the present group, but of a content whose first page is here
  // already, or has arrived before; those that name pages that leave are deleted
  // (Ledger::CompleteGroups).
  absl::Status TakeMoves();
  void Committed();  // the group of these visits
  const Counts& counts() const { return counts_; }
  // Visits of such pages.
  uint64_t near_duplicates() const { return near_.near_duplicates(); }
  uint64_t similar() const { return near_.similar(); }

 private:
  std::optional<PageId> FirstOf(uint64_t key, const std::optional<std::string>& row) const;
  absl::StatusOr<bool> Stands(PageId first, uint64_t key, uint64_t hash) const;
  absl::StatusOr<bool> Stays(PageId first, uint64_t key, uint64_t hash) const;
  absl::Status JudgeOne(ledger::Visit& visit, std::optional<PageId> first);
  absl::StatusOr<bool> MergeNear(ledger::Visit& visit);
  // A page that moves and may be the first of its content.
  struct Moved {
    PageId page;
    uint64_t key, hash;
    std::optional<std::string> row;  // of the content, on disk
  };
  absl::StatusOr<std::vector<Moved>> WithContent(absl::Span<const ledger::MovedPage> pages) const;
  absl::Status TakeAway(absl::Span<const ledger::MovedPage> pages);
  absl::Status Welcome(absl::Span<const ledger::MovedPage> pages);
  void Put(uint64_t key, PageId page);
  void Delete(uint64_t key);

  const desk::DuplicateUse use_, near_use_;
  ledger::Ledger& ledger_;
  store::Store& store_;
  // Of the present group, whose rows are not on disk yet.
  absl::flat_hash_map<uint64_t, std::optional<PageId>> firsts_;  // nothing: deleted
  // Of visited pages, and of those that arrive; 0: not the first of a content.
  absl::flat_hash_map<PageId, uint64_t> keys_;
  Counts counts_;
  NearPages near_;
};

}  // namespace opic::node

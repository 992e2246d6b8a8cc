// Which page of a site was the first to be read that says nearly what another one says
// (desk/near_text.h; docs/decisions/2026-11-24-near-duplicates.md).
//
// Two kinds of rows in Table::kMeta, in the same write as the visit that brings them: what a page
// says ("text/"), and which first pages have a band in common ("near/"). A page that is near a
// first page is its near duplicate and not a first page itself; so a crowd of alike pages has one
// entry.
// Rows are hints: what a page says is held against its history row, whose content hash is the same
// unless a release or a crawl that keeps no texts has read it since.
//
// Bounded: a page has one text and at most four entries; a band has at most kPagesOfBand pages, and
// is left alone when it is full. At most four times that many texts are looked at for a page.
//
// A near duplicate's first page is none: of two pages each is so the other's never, and what near
// duplicates pay makes no circle.
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "desk/near_text.h"
#include "ledger/ledger.h"
#include "store/store.h"

namespace opic::node {

// The first page that `page` was found to be a near duplicate of when it was read with the content
// `hash`; nothing: none.
absl::StatusOr<std::optional<PageId>> NearFirstPage(PageId page, uint64_t hash,
                                                    store::Store& store);

class NearPages {
 public:
  static constexpr size_t kPagesOfBand = 8;

  // Both must outlive it.
  NearPages(ledger::Ledger& ledger, store::Store& store) : ledger_(ledger), store_(store) {}

  // Reads what Judge and Forget need of these visits at once.
  absl::Status Prepare(absl::Span<const ledger::Visit> visits);
  // The first page that this page, which was read, is a near duplicate of. Nothing: it is none, and
  // a first page from now on; or it cannot be compared (Visit::near_text).
  absl::StatusOr<std::optional<PageId>> Judge(const ledger::Visit& visit);
  // The page is compared with none from now on: it is gone, is another one's exact duplicate, or
  // leaves.
  absl::Status Forget(PageId page);
  void Committed();                          // the group of these visits
  uint64_t found() const { return found_; }  // visits of near duplicates

 private:
  // Of a page.
  struct Kept {
    desk::NearText text;
    std::optional<PageId> first;  // whose near duplicate it is
  };
  static std::optional<Kept> Decode(std::string_view row);
  friend absl::StatusOr<std::optional<PageId>> NearFirstPage(PageId page, uint64_t hash,
                                                             store::Store& store);

  absl::StatusOr<std::optional<std::string>> Read(const std::string& key);
  void Write(const std::string& key, std::optional<std::string> row);
  absl::StatusOr<std::optional<Kept>> KeptOf(PageId page);
  absl::StatusOr<std::vector<PageId>> PagesOf(uint64_t band);
  absl::StatusOr<std::optional<PageId>> NearestTo(PageId page, const desk::NearText& text);
  absl::StatusOr<bool> Stands(PageId page, const Kept& kept) const;
  absl::Status Enter(PageId page, const desk::NearText& text);
  absl::Status DropFormer(uint64_t band, std::vector<PageId>& pages);
  absl::Status Leave(PageId page, const desk::NearText& text);

  ledger::Ledger& ledger_;
  store::Store& store_;
  // Of the present group: rows as they are with it, and pages whose rows on disk are older.
  absl::flat_hash_map<std::string, std::optional<std::string>> rows_;
  absl::flat_hash_set<PageId> judged_;
  uint64_t found_ = 0;
};

}  // namespace opic::node

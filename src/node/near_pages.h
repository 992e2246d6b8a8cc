// Which page of a site was the first to be read that says what another one says, but for words that
// change by themselves (its near duplicates), or says nearly what it says (pages similar to it).
// desk/near_text.h has the rules; docs/decisions/2026-11-24-near-duplicates.md.
//
// Two kinds of rows in Table::kMeta, in the same write as the visit that brings them: what a page
// says ("text/"), and which pages have a band, or all that lasts, in common ("near/"). A page is
// found by what lasts unless it is a near duplicate, and by its bands if it is not similar to
// another one either; so a crowd of alike pages has one entry.
// Rows are hints: what a page says is held against its history row, whose content hash is the same
// unless a release or a crawl that keeps no texts has read it since.
//
// Bounded: a page has one text and at most five entries; a row has at most kPagesOfRow pages, and
// is left alone when it is full. At most five times that many texts are looked at for a page.
//
// The page that a near duplicate belongs to is none: of two pages each is so the other's never, and
// what near duplicates pay makes no circle by itself (a redirect may lead back, as with
// duplicates).
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

struct AlikePage {
  PageId first;
  bool near_duplicate = false;  // or only similar
};

// What `page` was found to be like when it was read with the content `hash`; nothing: none.
absl::StatusOr<std::optional<AlikePage>> AlikeFirstPage(PageId page, uint64_t hash,
                                                        store::Store& store);

// What is kept of a page.
struct KeptText {
  desk::NearText text;
  std::optional<AlikePage> alike;
};

class NearPages {
 public:
  static constexpr size_t kPagesOfRow = 8;

  // Both must outlive it. `similar_too`: a page that is similar to another one is its near
  // duplicate, too.
  NearPages(ledger::Ledger& ledger, store::Store& store, bool similar_too)
      : ledger_(ledger), store_(store), similar_too_(similar_too) {}

  // Reads what Judge and Forget need of these visits at once.
  absl::Status Prepare(absl::Span<const ledger::Visit> visits);
  // The page that this one, which was read, is a near duplicate of. Nothing: it is none, and may
  // have near duplicates from now on; or it cannot be compared (Visit::near_text).
  absl::StatusOr<std::optional<PageId>> Judge(const ledger::Visit& visit);
  // The page is compared with none from now on: it is gone, is another one's exact duplicate, or
  // leaves.
  absl::Status Forget(PageId page);
  void Committed();  // the group of these visits
  // Visits of near duplicates, and of pages that are similar to another one.
  uint64_t near_duplicates() const { return near_duplicates_; }
  uint64_t similar() const { return similar_; }

 private:
  absl::StatusOr<std::optional<std::string>> Read(const std::string& key);
  void Write(const std::string& key, std::optional<std::string> row);
  absl::StatusOr<std::optional<KeptText>> KeptOf(PageId page);
  absl::StatusOr<std::vector<PageId>> PagesOf(uint64_t row);
  absl::StatusOr<std::optional<AlikePage>> AlikeOf(PageId page, const desk::NearText& text);
  absl::StatusOr<std::optional<PageId>> Nearest(PageId page, const desk::NearText& text,
                                                absl::Span<const uint64_t> rows,
                                                bool (*alike)(const desk::NearText&,
                                                              const desk::NearText&));
  absl::StatusOr<bool> Stands(PageId page, const KeptText& kept) const;
  absl::Status Enter(PageId page, const KeptText& kept);
  absl::Status DropFormer(uint64_t row, std::vector<PageId>& pages);
  absl::Status Leave(PageId page, const KeptText& kept);

  ledger::Ledger& ledger_;
  store::Store& store_;
  const bool similar_too_;
  // Of the present group: rows as they are with it, and pages whose rows on disk are older.
  absl::flat_hash_map<std::string, std::optional<std::string>> rows_;
  absl::flat_hash_set<PageId> judged_;
  uint64_t near_duplicates_ = 0, similar_ = 0;
};

}  // namespace opic::node

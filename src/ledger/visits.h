// Visits of pages (paper section 3.3): what was read is written to the page's row, what it links to
// becomes known, and its cash goes to the links.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ledger/charter.h"
#include "ledger/delivery.h"
#include "ledger/kept_rows.h"
#include "ledger/visit.h"
#include "store/store.h"

namespace opic::ledger {

class Visits {
 public:
  // All must outlive it.
  Visits(const Charter& charter, const importance::Window& window, store::Store& store,
         KeptRows& kept, Books& books, Accounting& accounting, Delivery& delivery,
         CommitGroup& group, Counts& counts);

  // As Ledger has them.
  void Seed(absl::Span<const Link> pages);
  absl::Status Record(absl::Span<const Visit> visits);
  absl::Status Settle(absl::Span<const PageId> pages, absl::Span<const cash::Amount> planned);
  void Reopen(absl::Span<const PageId> pages);

 private:
  absl::StatusOr<std::vector<PageRow>> PageRowsOf(absl::Span<const PageId> pages) const;
  // Takes rows into the group, where they are not in it yet: those that are kept, and others from
  // the store. `names` are the rows of the same pages in Table::kPage; none: all of them were
  // visited before. After an error the group is as it was.
  absl::Status OpenRows(absl::Span<const PageId> pages, absl::Span<const PageRow> names);
  void RecordOne(const Visit& visit, const PageRow& name);
  // How many of the links were new, or not announced to their owners yet; their credits are the
  // last of the group.
  size_t Discover(absl::Span<const Link> links, std::optional<PageId> from, uint32_t depth,
                  const std::string& referrer);
  // A visit of a page that paid `before` until now: its cash goes to the links of `row`.
  void Pay(PageId page, HistoryRow& row, absl::Span<const PageId> before);
  // The same along the links as they are, without a fetch; it may pay ahead of what it will get.
  void PayOn(PageId page, HistoryRow& row, std::optional<cash::Amount> planned);
  // The credits of the group from `first` on, and what the virtual page keeps, are all that a visit
  // recorded.
  void CountPaid(size_t first, cash::Amount kept, cash::Amount recorded);
  void CountKind(const HistoryRow& row, VisitKind now);

  const Charter& charter_;
  const importance::Window& window_;
  store::Store& store_;
  KeptRows& kept_;
  Books& books_;
  Accounting& accounting_;
  Delivery& delivery_;
  CommitGroup& group_;
  Counts& counts_;
};

}  // namespace opic::ledger

#include "node/resting_parts.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "node/near_duplicates.h"
#include "node/page_rows.h"
#include "node/resting_ledger.h"

namespace opic::node {
namespace {

class RestingReader final : public PageReader {
 public:
  RestingReader(const RestingLedger& from, const UnreadStates& unread)
      : ledger_(*from.ledger),
        unread_(unread),
        rows_(*from.store, from.ledger->window(), std::nullopt),
        near_duplicates_(*from.store, std::nullopt) {}

  absl::StatusOr<bool> Next(PageRecord& page) override {
    PageRows::Row row;
    ASSIGN_OR_RETURN(const bool there, rows_.Next(row));
    if (!there) return false;
    const auto cell = ledger_.books().table().Find(row.page);
    if (!cell) return ledger::LacksCell(row.page);
    const ledger::HistoryRow* visited = row.visited ? &*row.visited : nullptr;
    page = RecordOf(row.page, row.name, visited, cell->cash.value(), unread_);
    ASSIGN_OR_RETURN(page.near_hash, near_duplicates_.FirstHash(page.page, page.content_hash));
    const ledger::Accounting& accounting = ledger_.accounting();
    page.importance = accounting.Estimate(
        visited != nullptr ? visited->history : accounting.Unvisited(row.name), page.cash);
    return true;
  }

 private:
  const ledger::Ledger& ledger_;
  const UnreadStates& unread_;
  PageRows rows_;
  NearDuplicates near_duplicates_;
};

class RestingPart final : public CrawlPart {
 public:
  RestingPart(RestingLedger opened, UnreadStates unread)
      : opened_(std::move(opened)), unread_(std::move(unread)), head_(HeadOf(*opened_.ledger)) {}
  const PartHead& head() const override { return head_; }
  std::unique_ptr<PageReader> Read() override {
    return std::make_unique<RestingReader>(opened_, unread_);
  }

  RestingLedger& opened() { return opened_; }
  void LookAgain() { head_ = HeadOf(*opened_.ledger); }

 private:
  RestingLedger opened_;
  const UnreadStates unread_;
  PartHead head_;
};

absl::Status CheckFit(const PartHead& one, const PartHead& other) {
  if (one.cluster_id != other.cluster_id) {
    return absl::FailedPreconditionError("the folders are of different crawls");
  }
  if (one.node != other.node) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("node ", one.node.value, " has two folders among these"));
}

void TellEachOther(absl::Span<const std::unique_ptr<RestingPart>> parts) {
  for (const auto& hearer : parts) {
    ledger::Ledger& ledger = *hearer->opened().ledger;
    for (const auto& other : parts) {
      const NodeId id = other->head().node;
      if (other != hearer && ledger.peers().Has(id))
        ledger.Hear(id, other->opened().ledger->Sums());
    }
  }
  for (const auto& part : parts) part->LookAgain();
}

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<CrawlPart>>> OpenRestingParts(
    absl::Span<const std::unique_ptr<DataFolder>> folders) {
  std::vector<std::unique_ptr<RestingPart>> parts;
  for (const auto& folder : folders) {
    ASSIGN_OR_RETURN(RestingLedger opened, RestingLedger::Open(*folder));
    ASSIGN_OR_RETURN(UnreadStates unread, UnreadStates::Of(*opened.store, absl::Now()));
    auto part = std::make_unique<RestingPart>(std::move(opened), std::move(unread));
    for (const auto& other : parts) RETURN_IF_ERROR(CheckFit(other->head(), part->head()));
    parts.push_back(std::move(part));
  }
  TellEachOther(parts);
  return std::vector<std::unique_ptr<CrawlPart>>(std::make_move_iterator(parts.begin()),
                                                 std::make_move_iterator(parts.end()));
}

}  // namespace opic::node

#include "ledger/restating.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "importance/push.h"

namespace opic::ledger {
namespace {

constexpr size_t kRowsAtOnce = 1024;      // between two looks at the lock and at `stop`
constexpr size_t kClaimsInPart = 50'000;  // some 600 KB

void SortByPage(std::vector<Drift>& drifts) {
  std::sort(drifts.begin(), drifts.end(),
            [](const Drift& a, const Drift& b) { return a.page < b.page; });
}

cash::Sum Magnitude(cash::Sum sum) { return sum < 0 ? -sum : sum; }
bool IsPossible(cash::Sum claim) { return Magnitude(claim) <= cash::kHoldingMax.units(); }

absl::Status TooMuch(PageId page, const char* what) {
  return absl::FailedPreconditionError(
      absl::StrCat("page ", page.id(), " of shard ", page.shard().value, " ", what,
                   " more than there can be; look for a damaged disk (`opic verify`) at any node"));
}

}  // namespace

void Restating::Begin(const page_table::PageTable& table,
                      const std::vector<std::pair<PageId, cash::Amount>>& held, store::Store& store,
                      std::vector<NodeId> owners) {
  const absl::MutexLock lock(&mu_);
  owners_ = std::move(owners);
  page_table::Cursor cursor;
  uint64_t pages = 0;
  bool whole = false;
  while (!whole) {
    whole = table.Walk(cursor, 1 << 16, [&](const page_table::Page& page) {
      mu_.AssertHeld();
      const cash::Sum held = page.cash.value().units();
      off_[page.page] += held - charter_.base.units();
      if (!page.done) flow_ += held;
      ++pages;
    });
  }
  for (const auto& [page, amount] : held) off_[page] += amount.units();
  pages_ = pages;
  rows_ = store.Scan(store::Table::kHistory, "");
  begun_ = true;
}

void Restating::Add(PageId page, cash::Sum amount) {
  const absl::MutexLock lock(&mu_);
  off_[page] += amount;
}

void Restating::Spoil(const std::string& why) {
  const absl::MutexLock lock(&mu_);
  if (spoiled_.empty()) spoiled_ = why;
}

absl::Status Restating::Sound() const {
  if (!spoiled_.empty()) return absl::FailedPreconditionError(spoiled_);
  if (!begun_) return absl::FailedPreconditionError("the cut was not taken yet");
  if (!read_) return absl::UnavailableError("the rows are still being read");
  return absl::OkStatus();
}

absl::Status Restating::Read(const std::atomic<bool>& stop) {
  const importance::Window window(charter_.window);
  while (rows_->Valid()) {
    if (stop) return absl::CancelledError("the node stops");
    const absl::MutexLock lock(&mu_);
    for (size_t i = 0; i < kRowsAtOnce && rows_->Valid(); ++i, rows_->Next()) {
      ASSIGN_OR_RETURN(const PageId page, PageOfKey(rows_->key()));
      ASSIGN_OR_RETURN(const HistoryRow row, ReadHistoryRow(page, rows_->value(), window));
      off_[page] += row.history.sum;
      const cash::Amount each =
          importance::PaidToEach(row.history.sum, row.links.size(), charter_.epsilon);
      for (PageId link : row.links) {
        if (link.shard().value >= owners_.size()) return DamagedPage(page, "links to no shard");
        off_[link] -= each.units();
      }
      links_ += row.links.size();
      flow_ += row.history.sum;
    }
  }
  RETURN_IF_ERROR(rows_->status());
  rows_.reset();
  read_ = true;
  return absl::OkStatus();
}

void Restating::GatherClaims(NodeId peer) {
  claims_.clear();
  for (const auto& [page, off] : off_) {
    if (owners_[page.shard().value] == peer && off != 0) claims_.push_back({page, off});
  }
  SortByPage(claims_);
  gathered_ = peer;
}

absl::StatusOr<Restating::Claims> Restating::ClaimsFor(NodeId peer, uint64_t part) {
  const absl::MutexLock lock(&mu_);
  RETURN_IF_ERROR(Sound());
  if (gathered_ != peer) GatherClaims(peer);
  const uint64_t parts = (claims_.size() + kClaimsInPart - 1) / kClaimsInPart;
  const absl::Span<const Drift> some = absl::MakeSpan(claims_).subspan(
      std::min<uint64_t>(part, parts) * kClaimsInPart, kClaimsInPart);
  for (const Drift& claim : some) {
    if (!IsPossible(claim.amount)) return TooMuch(claim.page, "was paid by links of this node");
  }
  return Claims{{some.begin(), some.end()}, part + 1 >= parts};
}

absl::Status Restating::AddClaims(NodeId from, uint64_t index, absl::Span<const Drift> claims) {
  const absl::MutexLock lock(&mu_);
  RETURN_IF_ERROR(Sound());
  uint64_t& next = parts_[from.value];
  if (index < next) return absl::OkStatus();
  if (index > next) {
    return absl::FailedPreconditionError(
        absl::StrCat("part ", next, " of node ", from.value, "'s claims is missing"));
  }
  for (const Drift& claim : claims) {
    if (claim.page.shard().value >= owners_.size() ||
        owners_[claim.page.shard().value] != charter_.node) {
      return absl::FailedPreconditionError("claims on a page of another node");
    }
    if (!IsPossible(claim.amount)) return TooMuch(claim.page, "is said to have been paid");
  }
  for (const Drift& claim : claims) off_[claim.page] += claim.amount;
  ++next;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Drift>> Restating::Drifts() const {
  const absl::MutexLock lock(&mu_);
  RETURN_IF_ERROR(Sound());
  const auto is_off = [&](const auto& entry) {
    mu_.AssertReaderHeld();
    return entry.second != 0 && owners_[entry.first.shard().value] == charter_.node;
  };
  std::vector<Drift> drifts;
  drifts.reserve(std::count_if(off_.begin(), off_.end(), is_off));
  cash::Sum all = 0;
  for (const auto& entry : off_) {
    if (!is_off(entry)) continue;
    const auto& [page, off] = entry;
    drifts.push_back({page, off});
    all += Magnitude(off);
    // So much can be corrected on top of what a page and the virtual page hold.
    if (all > cash::kSupply.units()) return TooMuch(page, "is off, with others before it, by");
  }
  SortByPage(drifts);
  return drifts;
}

}  // namespace opic::ledger

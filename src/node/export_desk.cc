#include "node/export_desk.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/reason.h"
#include "base/status_macros.h"
#include "base/steady_wait.h"
#include "node/cell_copy.h"
#include "node/near_duplicates.h"
#include "node/page_rows.h"

namespace opic::node {
namespace {

// A cut that nobody has asked for in this time gives way when another one is wanted.
constexpr absl::Duration kGivesWay = absl::Seconds(20);

// Another one in every process, never 0.
uint64_t DrawNumber() {
  std::random_device device;
  return uint64_t{device()} << 32 | device() | 1;
}

size_t BytesOf(const PageRecord& page) {
  return 100 + page.url.size() + sizeof(PageId) * page.links.size();
}

}  // namespace

// One moment, and how far it was read.
class ExportDesk::Cut {
 public:
  // REQUIRES: the ledger's thread.
  Cut(uint64_t number, const ledger::Ledger& ledger, store::Store& store, CellCopy cells,
      std::shared_ptr<const UnreadStates> unread, std::optional<PageId> after)
      : head_(HeadOf(ledger)),
        unread_(std::move(unread)),
        estimate_(ledger.accounting().EstimatorOfNow()),
        end_(after),
        source_(Source{
            {store, ledger.window(), after}, NearDuplicates(store, after), std::move(cells)}) {
    answer_.cut = number;
    answer_.head = head_;
  }

  // Under the desk's lock:
  absl::Time used;
  bool finished = false;  // the last page was read

  // Held while the members below are used.
  std::mutex mu;
  uint64_t number() const { return answer_.cut; }
  // Whether pages after this one can still be had from here.
  bool Continues(std::optional<PageId> after) const { return after == end_ || Repeats(after); }
  // Whether the last answer has them, or some of them.
  bool Repeats(std::optional<PageId> after) const {
    return answered_ && (after == begin_ || (after != end_ && PlaceOf(after) > 0));
  }
  // The last answer's pages after this one; all of them if it is none of them.
  ExportedRows AnswerAfter(std::optional<PageId> after) const {
    ExportedRows rest{.cut = answer_.cut, .head = answer_.head, .last = answer_.last};
    rest.pages.assign(answer_.pages.begin() + PlaceOf(after), answer_.pages.end());
    return rest;
  }

  // Reads the rows that follow. What could not be read is not passed over: it fails again, for who
  // has waited for it.
  absl::Status Advance(const ExportLimits& limits) {
    if (failed_.ok()) failed_ = ReadOn(limits);
    return failed_;
  }

 private:
  // Of the page behind this one in the last answer; 0: this one is not in it.
  ptrdiff_t PlaceOf(std::optional<PageId> after) const {
    const auto at = std::find_if(answer_.pages.begin(), answer_.pages.end(),
                                 [&](const PageRecord& page) { return page.page == after; });
    return at == answer_.pages.end() ? 0 : at - answer_.pages.begin() + 1;
  }

  absl::Status ReadOn(const ExportLimits& limits) {
    std::vector<PageRecord> pages;
    bool there = source_.has_value();  // not for a client that asks for what follows the last page
    for (size_t bytes = 0; there && pages.size() < limits.rows_max && bytes < limits.bytes_max;) {
      PageRows::Row row;
      ASSIGN_OR_RETURN(there, source_->rows.Next(row));
      if (!there) break;
      ASSIGN_OR_RETURN(const std::optional<cash::Amount> cash, source_->cells.Find(row.page));
      if (!cash) return ledger::LacksCell(row.page);
      pages.push_back(
          RecordOf(row.page, row.name, row.visited ? &*row.visited : nullptr, *cash, *unread_));
      PageRecord& page = pages.back();
      ASSIGN_OR_RETURN(page.near_hash,
                       source_->near_duplicates.FirstHash(page.page, page.content_hash));
      bytes += BytesOf(page);
      page.importance = estimate_(row.name, row.visited ? &row.visited->history : nullptr, *cash);
    }
    begin_ = end_;
    if (!pages.empty()) end_ = pages.back().page;
    answer_.pages = std::move(pages);
    answer_.last = !there;
    answered_ = true;
    if (!there) source_.reset();  // the store need keep nothing of it
    return absl::OkStatus();
  }

  struct Source {
    PageRows rows;
    NearDuplicates near_duplicates;
    CellCopy cells;
  };
  const PartHead head_;
  const std::shared_ptr<const UnreadStates> unread_;
  const ledger::Accounting::Estimator estimate_;
  std::optional<PageId> begin_, end_;  // the answer's pages are those after begin, up to end
  bool answered_ = false;
  absl::Status failed_;
  ExportedRows answer_;           // the last one
  std::optional<Source> source_;  // none: finished
};

ExportDesk::ExportDesk(ledger::Ledger& ledger, store::Store& store, base::Clock& clock,
                       std::string folder, OnLedger on_ledger, const ExportLimits& limits)
    : ledger_(ledger),
      store_(store),
      clock_(clock),
      folder_(std::move(folder)),
      on_ledger_(std::move(on_ledger)),
      limits_(limits) {}

ExportDesk::~ExportDesk() {
  {
    const std::lock_guard<std::mutex> lock(mu_);
    closed_ = true;
    closing_.notify_all();
  }
  if (watch_.joinable()) watch_.join();
}

absl::StatusOr<ExportedRows> ExportDesk::Read(const ExportPosition& position) {
  std::shared_ptr<Cut> cut = Find(position.cut);
  if (cut != nullptr) {
    const std::lock_guard<std::mutex> reading(cut->mu);
    if (cut->Continues(position.after)) return Answer(*cut, position.after);
  }
  ASSIGN_OR_RETURN(cut, Take(position.after));
  const std::lock_guard<std::mutex> reading(cut->mu);
  return Answer(*cut, position.after);
}

std::shared_ptr<ExportDesk::Cut> ExportDesk::Find(uint64_t number) {
  const std::lock_guard<std::mutex> lock(mu_);
  const auto at = cuts_.find(number);
  if (at == cuts_.end()) return nullptr;
  at->second->used = clock_.Steady();
  return at->second;
}

absl::StatusOr<ExportedRows> ExportDesk::Answer(Cut& cut, std::optional<PageId> after) {
  if (!cut.Repeats(after)) {
    const absl::Status read = cut.Advance(limits_);
    if (!read.ok()) GiveUp(cut);
    RETURN_IF_ERROR(read);
  }
  const std::lock_guard<std::mutex> lock(mu_);
  cut.used = clock_.Steady();
  ExportedRows rows = cut.AnswerAfter(after);
  cut.finished = rows.last;
  return rows;
}

// Who asks for more of it begins another one there.
void ExportDesk::GiveUp(const Cut& cut) {
  const std::lock_guard<std::mutex> lock(mu_);
  cuts_.erase(cut.number());
}

absl::Status ExportDesk::MakeRoom() {
  const std::lock_guard<std::mutex> lock(mu_);
  if (cuts_.size() < limits_.cuts_max) return absl::OkStatus();
  // One that was read to its end, or whose reader has been silent: that reader may take another cut
  // and continue after its last page.
  const auto gives_way = [now = clock_.Steady()](const Cut& cut) {
    return cut.finished || now - cut.used > kGivesWay;
  };
  auto oldest = cuts_.end();
  for (auto at = cuts_.begin(); at != cuts_.end(); ++at) {
    if (gives_way(*at->second) &&
        (oldest == cuts_.end() || at->second->used < oldest->second->used))
      oldest = at;
  }
  if (oldest == cuts_.end()) {
    return base::WithReason(
        absl::UnavailableError(absl::StrCat(
            limits_.cuts_max, " exports of this node are being read: try again later")),
        "TOO_MANY_EXPORTS", {{"most", absl::StrCat(limits_.cuts_max)}});
  }
  cuts_.erase(oldest);
  return absl::OkStatus();
}

// What the ledger's thread uses is its own: it may come to it after we have lost patience.
absl::StatusOr<std::shared_ptr<ExportDesk::Cut>> ExportDesk::Take(std::optional<PageId> after) {
  RETURN_IF_ERROR(MakeRoom());
  ASSIGN_OR_RETURN(UnreadStates states, UnreadStates::Of(store_, clock_.Now()));
  // Its seeds may be many: nothing of it is copied while the ledger stands still.
  auto unread = std::make_shared<const UnreadStates>(std::move(states));
  const uint64_t number = DrawNumber();
  auto taken = std::make_shared<absl::StatusOr<std::shared_ptr<Cut>>>(nullptr);
  RETURN_IF_ERROR(on_ledger_([this, taken, number, after, unread] {
    absl::StatusOr<CellCopy> cells = CellCopy::Of(ledger_.books().table(), folder_);
    if (cells.ok()) {
      *taken = std::make_shared<Cut>(number, ledger_, store_, *std::move(cells), unread, after);
    } else {
      *taken = cells.status();
    }
  }));
  RETURN_IF_ERROR(taken->status());
  const std::lock_guard<std::mutex> lock(mu_);
  if (closed_)
    return base::WithReason(absl::UnavailableError("the node is stopping"), "NODE_STOPPING");
  (**taken)->used = clock_.Steady();
  cuts_[number] = **taken;
  if (!watch_.joinable()) watch_ = std::thread([this] { GiveUpIdle(); });
  return **taken;
}

void ExportDesk::GiveUpIdle() {
  std::unique_lock<std::mutex> lock(mu_);
  while (!base::AwaitSteadily(closing_, lock, limits_.idle_max / 4, [this] { return closed_; })) {
    const absl::Time now = clock_.Steady();
    std::erase_if(cuts_,
                  [&](const auto& cut) { return now - cut.second->used > limits_.idle_max; });
  }
}

}  // namespace opic::node

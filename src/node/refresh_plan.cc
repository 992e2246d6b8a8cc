#include "node/refresh_plan.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "base/status_macros.h"
#include "refresh/change_rate.h"
#include "refresh/due_time.h"

namespace opic::node {
namespace {

using ledger::VisitKind;
using refresh::PagePlan;

constexpr size_t kRowsPerStep = 1000;   // counted in a turn
constexpr size_t kLooksPerStep = 64;    // rows of pages that may be due, read in a turn
constexpr size_t kDueMax = 512;         // known to be due at a time
constexpr size_t kOnTheMoveMax = 4096;  // beyond, they wait for the next count
constexpr absl::Duration kLendAfter = absl::Seconds(10);
constexpr absl::Duration kSaveEvery = absl::Hours(6);  // gives room in the file back
// Of pages that were read before anything was planned: from the fetch.
constexpr absl::Duration kUnplannedPause = absl::Hours(24);

std::optional<absl::Time> TimeOf(const std::string& http_date) {
  absl::Time time;
  if (!absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", http_date, &time, nullptr)) return std::nullopt;
  return time;
}

bool IsRead(VisitKind kind) {
  return kind == VisitKind::kFetched || kind == VisitKind::kNotModified;
}

}  // namespace

RefreshPlan::RefreshPlan(const RefreshOptions& options, const ledger::Ledger& ledger,
                         store::Store& store, const std::string& folder)
    : options_(options), ledger_(ledger), store_(store), folder_(folder), frequencies_(Bounds()) {}

absl::StatusOr<std::unique_ptr<RefreshPlan>> RefreshPlan::Open(const RefreshOptions& options,
                                                               const ledger::Ledger& ledger,
                                                               store::Store& store,
                                                               const std::string& folder,
                                                               absl::Time now) {
  std::unique_ptr<RefreshPlan> plan(new RefreshPlan(options, ledger, store, folder));
  plan->discovered_ = now;
  RETURN_IF_ERROR(plan->CountAnew(now));
  return plan;
}

absl::Status RefreshPlan::CountAnew(absl::Time now) {
  calendar_.reset();
  ASSIGN_OR_RETURN(file_, CalendarFile::Create(folder_));
  ASSIGN_OR_RETURN(calendar_, refresh::Calendar::Open(*file_, now));
  saved_ = now;
  frequencies_ = refresh::Frequencies(Bounds());
  placements_ = ledger_.placements().changes();
  own_shards_ = OwnShards();
  groups_.clear();
  all_ = {};
  due_.clear();
  on_the_move_.clear();
  offered_.clear();
  count_from_ = "";
  return absl::OkStatus();
}

// A digest of the shards whose rows are all here and this node's.
uint64_t RefreshPlan::OwnShards() const {
  std::string own(ledger_.charter().shards, '-');
  for (uint32_t shard = 0; shard < own.size(); ++shard) {
    if (ledger_.moves().Workable(ShardId{static_cast<uint16_t>(shard)})) own[shard] = '+';
  }
  return base::Hash64(own);
}

refresh::FrequencyOptions RefreshPlan::Bounds() const {
  return {.floor = 1 / absl::ToDoubleSeconds(options_.longest),
          .cap = 1 / absl::ToDoubleSeconds(options_.shortest),
          .bandwidth = bandwidth()};
}

// Discovery that has had nothing to do for a while lends its part.
void RefreshPlan::LendOrTakeBack(absl::Time now) {
  const page_table::Totals totals = ledger_.books().table().totals();
  if (totals.pages - totals.done > offered_.size() || now < discovered_) discovered_ = now;
  const bool lent = now >= discovered_ + kLendAfter;
  if (lent == lent_) return;
  lent_ = lent;
  frequencies_.SetBandwidth(bandwidth());
}

// A page that was read before anything was planned has a plan, too: the same at every look.
absl::StatusOr<PagePlan> RefreshPlan::PlanOf(const ledger::HistoryRow& row) const {
  if (row.plan.empty()) {
    PagePlan plan;
    if (row.fetched_at > 0 && row.kind != VisitKind::kOutOfScope)
      plan.due = row.fetched_at + absl::ToInt64Seconds(kUnplannedPause);
    return plan;
  }
  std::optional<PagePlan> plan = PagePlan::Decode(row.plan);
  if (!plan) return absl::DataLossError("the plan of a page is damaged in its row");
  return *std::move(plan);
}

absl::Status RefreshPlan::Step(absl::Time now) {
  this_group_.clear();
  if (placements_ != ledger_.placements().changes()) {
    placements_ = ledger_.placements().changes();
    if (OwnShards() != own_shards_) RETURN_IF_ERROR(CountAnew(now));
  }
  LendOrTakeBack(now);
  if (count_from_) RETURN_IF_ERROR(CountSome());
  // The calendar does not go back in time.
  if (now < saved_) RETURN_IF_ERROR(CountAnew(now));
  if (now >= saved_ + kSaveEvery) {
    saved_ = now;
    RETURN_IF_ERROR(calendar_->Save());
  }
  return LookAtSome(now);
}

absl::Status RefreshPlan::CountSome() {
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kHistory, *count_from_);
  for (size_t seen = 0; rows->Valid() && seen < kRowsPerStep; rows->Next(), ++seen) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::DecodeHistoryRow(rows->value(), ledger_.window()));
    ASSIGN_OR_RETURN(const PagePlan plan, PlanOf(row));
    Count({}, plan);
    RETURN_IF_ERROR(AddToCalendar(page, plan));
    if (!plan.in_group) continue;
    const double seconds =
        plan.changes.quiet_seconds() + plan.changes.undated_seconds() + plan.changes.age_seconds();
    refresh::RateGroup& group = groups_[page.shard()].rates;
    const refresh::RateDistribution rate =
        refresh::PosteriorRate(plan.changes, group.Prior(all_.Prior()));
    group.Observe(rate, seconds, /*new_page=*/true);
    all_.Observe(rate, seconds, /*new_page=*/true);
  }
  RETURN_IF_ERROR(rows->status());
  if (rows->Valid()) {
    count_from_ = std::string(rows->key());
  } else {
    count_from_.reset();
  }
  return absl::OkStatus();
}

// What lies behind is counted when the count comes to it.
bool RefreshPlan::IsCounted(PageId page) const {
  return !count_from_ || ledger::KeyOf(page) < *count_from_;
}

void RefreshPlan::Count(const PagePlan& before, const PagePlan& after) {
  if (before.counted() && after.counted()) {
    frequencies_.Change(before.weight, after.weight);
  } else if (before.counted()) {
    frequencies_.Remove(before.weight);
  } else if (after.counted()) {
    frequencies_.Add(after.weight);
  }
}

absl::Status RefreshPlan::AddToCalendar(PageId page, const PagePlan& plan) {
  if (plan.due == PagePlan::kNever) return absl::OkStatus();
  return calendar_->Add(page, absl::FromUnixSeconds(plan.due));
}

absl::Status RefreshPlan::LookAtSome(absl::Time now) {
  std::vector<refresh::CalendarEntry> again = std::exchange(on_the_move_, {});
  for (size_t looks = 0; looks < kLooksPerStep && due_.size() < kDueMax; ++looks) {
    refresh::CalendarEntry entry;
    if (!again.empty() && looks % 2 == 0) {
      entry = again.back();
      again.pop_back();
    } else {
      ASSIGN_OR_RETURN(const std::optional<refresh::CalendarEntry> taken, calendar_->Take(now));
      if (!taken) break;
      entry = *taken;
      calendar_->Finish(entry);
    }
    ASSIGN_OR_RETURN(const bool due, IsDue(entry));
    if (due && !ledger_.moves().Workable(entry.page.shard()) && on_the_move_.size() < kOnTheMoveMax)
      on_the_move_.push_back(entry);
  }
  on_the_move_.insert(on_the_move_.end(), again.begin(), again.end());
  return absl::OkStatus();
}

// The row decides: an entry of another time is an old one. What is due and may be visited now is
// the last of due_ afterwards.
absl::StatusOr<bool> RefreshPlan::IsDue(const refresh::CalendarEntry& entry) {
  const std::optional<page_table::Page> known = ledger_.books().table().Find(entry.page);
  if (!known || known->ordered || offered_.contains(entry.page)) return false;
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kHistory, ledger::KeyOf(entry.page)));
  if (!bytes) return false;
  ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                   ledger::DecodeHistoryRow(*bytes, ledger_.window()));
  ASSIGN_OR_RETURN(const PagePlan plan, PlanOf(row));
  if (plan.due != entry.due) return false;
  if (ledger_.moves().Workable(entry.page.shard()))
    due_.push_back({entry.page, entry.due, ImportanceOf(entry.page, &row)});
  return true;
}

std::vector<schedule::Candidate> RefreshPlan::TakeDue(size_t most) {
  std::vector<schedule::Candidate> taken;
  while (taken.size() < most && !due_.empty()) {
    const Due first = due_.front();
    due_.pop_front();
    // It may have been read since.
    const absl::StatusOr<bool> still = IsDue({first.due, first.page});
    if (!still.ok()) on_the_move_.push_back({first.due, first.page});  // Step meets the error, too
    if (!still.ok() || !*still || !ledger_.moves().Workable(first.page.shard())) continue;
    const Due due = due_.back();
    due_.pop_back();
    if (!offered_.try_emplace(due.page, due).second) continue;
    const double supply = static_cast<double>(ledger_.charter().supply.units());
    taken.push_back({due.page, cash::Amount(static_cast<int64_t>(
                                   std::clamp(due.importance, 0.0, 1.0) * supply))});
  }
  return taken;
}

void RefreshPlan::OffersWereLost() {
  for (const auto& [page, due] : offered_) due_.push_front(due);
  offered_.clear();
}

absl::Status RefreshPlan::Plan(absl::Span<ledger::Visit> visits, absl::Time now) {
  std::vector<std::string> keys;
  for (const ledger::Visit& visit : visits) keys.push_back(ledger::KeyOf(visit.page));
  std::vector<std::optional<std::string>> values;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &values));
  for (size_t i = 0; i < visits.size(); ++i) {
    ledger::Visit& visit = visits[i];
    std::optional<ledger::HistoryRow> row;
    PagePlan before;
    if (values[i]) {
      ASSIGN_OR_RETURN(row, ledger::DecodeHistoryRow(*values[i], ledger_.window()));
      ASSIGN_OR_RETURN(before, PlanOf(*row));
    }
    // Another target is another content.
    if (visit.kind == VisitKind::kRedirect && !visit.links.empty())
      visit.content_hash = base::Hash64(base::Big64(visit.links.front().page.word()));
    // A second visit of one group: its row is not on disk yet, and has shown all it can.
    const auto first = this_group_.find(visit.page);
    if (first != this_group_.end()) before = first->second;
    PagePlan after =
        PlanAfter(visit, first == this_group_.end() && row ? &*row : nullptr, before, now);
    const bool counted = IsCounted(visit.page);
    if (counted) Count(before, after);
    if (after.counted()) after.due = DueOf(visit, before, after, now);
    if (counted) RETURN_IF_ERROR(AddToCalendar(visit.page, after));
    offered_.erase(visit.page);
    this_group_[visit.page] = after;
    visit.plan = after.Encode();
  }
  return absl::OkStatus();
}

PagePlan RefreshPlan::PlanAfter(const ledger::Visit& visit, const ledger::HistoryRow* before,
                                const PagePlan& plan, absl::Time now) {
  PagePlan after = plan;
  const absl::Time fetched = visit.at > 0 ? absl::FromUnixSeconds(visit.at) : now;
  if (visit.kind == VisitKind::kOutOfScope) {
    after.due = PagePlan::kNever;
    return after;
  }
  if (!IsRead(visit.kind) && visit.kind != VisitKind::kRedirect) {
    // What was never there is tried once more, after the longest pause: nobody may fill the plan
    // with links to nowhere.
    const bool never_there = visit.kind == VisitKind::kGone && before == nullptr;
    const int losses = never_there ? PagePlan::kLossesMax - 1 : plan.losses + 1;
    after.losses = static_cast<uint8_t>(std::min<int>(losses, PagePlan::kLossesMax));
    after.due = refresh::DueAfterLoss(fetched, after.losses);
    return after;
  }
  Observe(visit, before, after);
  after.losses = 0;
  after.due = absl::ToUnixSeconds(fetched);  // counted from now on; DueOf decides
  const refresh::RateDistribution rate =
      refresh::PosteriorRate(after.changes, groups_[visit.page.shard()].rates.Prior(all_.Prior()));
  after.weight = refresh::RefreshWeight::Of(ImportanceOf(visit.page, before), rate.mean());
  return after;
}

int64_t RefreshPlan::DueOf(const ledger::Visit& visit, const PagePlan& before,
                           const PagePlan& after, absl::Time now) const {
  const absl::Time fetched = visit.at > 0 ? absl::FromUnixSeconds(visit.at) : now;
  const absl::Time due = before.counted() ? absl::FromUnixSeconds(before.due) : fetched;
  const absl::Time next = refresh::NextDue(due, fetched, FrequencyOf(after.weight));
  return refresh::DueSecond(std::max(next, fetched + options_.shortest));
}

// An interval counts from one reading of the page's content to the next one. What was read before
// anything was planned may have been hashed otherwise.
void RefreshPlan::Observe(const ledger::Visit& visit, const ledger::HistoryRow* before,
                          PagePlan& plan) {
  refresh::ChangeObservation seen;
  seen.fetched = absl::FromUnixSeconds(visit.at);
  const bool unmodified = visit.kind == VisitKind::kNotModified;
  const VisitKind kind = unmodified ? VisitKind::kFetched : visit.kind;
  const bool comparable = before != nullptr && plan.losses == 0 && before->kind == kind &&
                          before->fetched_at > 0 &&
                          (unmodified || (before->content_hash != 0 && !before->plan.empty()));
  if (comparable) {
    seen.previous = absl::FromUnixSeconds(before->fetched_at);
    seen.changed = !unmodified && visit.content_hash != before->content_hash;
  }
  Group& group = groups_[visit.page.shard()];
  if (!unmodified) {
    seen.last_change = TimeOf(visit.last_modified);
  } else if (before != nullptr) {
    seen.last_change = TimeOf(before->last_modified);
  }
  // With nothing to hold it against, a date is worth as much as the others of its group.
  if (!comparable && !group.dates.proved()) seen.last_change.reset();
  const refresh::DateUse use = plan.changes.Observe(seen);
  if (!comparable) return;
  if (seen.changed) group.dates.Count(use);
  ++readings_;
  changes_ += seen.changed ? 1 : 0;
  const double seconds = absl::ToDoubleSeconds(seen.fetched - seen.previous);
  const refresh::RateDistribution rate =
      refresh::PosteriorRate(plan.changes, group.rates.Prior(all_.Prior()));
  group.rates.Observe(rate, seconds, !plan.in_group);
  all_.Observe(rate, seconds, !plan.in_group);
  plan.in_group |= seconds > 0;
}

double RefreshPlan::ImportanceOf(PageId page, const ledger::HistoryRow* row) const {
  const std::optional<page_table::Page> known = ledger_.books().table().Find(page);
  if (!known) return 0;
  const importance::History history = row != nullptr ? row->history : importance::History();
  return ledger_.accounting().Estimate(history, known->cash.value());
}

// Before all pages are counted, each is worth as much as another.
double RefreshPlan::FrequencyOf(refresh::RefreshWeight weight) const {
  if (!count_from_) return frequencies_.Of(weight);
  const refresh::FrequencyOptions bounds = Bounds();
  const uint64_t done = std::max<uint64_t>(1, ledger_.books().table().totals().done);
  return std::clamp(bandwidth() / static_cast<double>(done), bounds.floor, bounds.cap);
}

RefreshStats RefreshPlan::stats() const {
  RefreshStats stats;
  stats.on = true;
  stats.counting = count_from_.has_value();
  stats.planned = frequencies_.pages();
  stats.due = due_.size();
  stats.bandwidth = bandwidth();
  stats.planned_rate = frequencies_.planned();
  return stats;
}

}  // namespace opic::node

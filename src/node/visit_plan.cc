// Implements a part of node/refresh_plan.h. What a visit of a page changes in its plan.
#include <algorithm>
#include <random>
#include <utility>

#include "base/encoding.h"
#include "base/status_macros.h"
#include "desk/left_out.h"
#include "node/refresh_plan.h"
#include "refresh/change_rate.h"
#include "refresh/content_hash.h"
#include "refresh/due_time.h"

namespace opic::node {
namespace {

using ledger::VisitKind;
using refresh::PagePlan;
using refresh::Rule;

constexpr char kMemoryKey[] = "change_memory";  // docs/formats/store.md

// An interval is at most so many times the one before it: what its group had not shown yet when a
// page was planned reaches it soon.
constexpr int kIntervalGrowthMax = 4;

std::optional<absl::Time> TimeOf(const std::string& http_date) {
  absl::Time time;
  if (!absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", http_date, &time, nullptr)) return std::nullopt;
  return time;
}

refresh::Category CategoryOf(const ledger::Visit& visit) {
  const size_t number = std::min<size_t>(visit.category, refresh::kCategories - 1);
  return static_cast<refresh::Category>(number);
}

bool IsRead(VisitKind kind) {
  return kind == VisitKind::kFetched || kind == VisitKind::kNotModified;
}

// Its content is that of another page, which is read as often as its importance asks for.
bool IsDuplicate(const ledger::Visit& visit) {
  return desk::LeftOutInRow(visit.http_status).duplicate;
}

}  // namespace

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
      ASSIGN_OR_RETURN(row, ledger::ReadHistoryRow(visit.page, *values[i], ledger_.window()));
      before = PlanOf(*row);
    }
    // Another target is another content.
    if (visit.kind == VisitKind::kRedirect && !visit.links.empty())
      visit.content_hash =
          refresh::HashOfBytes(base::Hash64(base::Big64(visit.links.front().page.word())));
    // A second visit of one group: the row of the first is not on disk yet, and has shown all it
    // can.
    const auto first = this_group_.find(visit.page);
    const bool second = first != this_group_.end();
    if (second) before = first->second;
    const absl::Time fetched = visit.at > 0 ? absl::FromUnixSeconds(visit.at) : now;
    ASSIGN_OR_RETURN(Rule rule, RuleOf(visit.page));
    ASSIGN_OR_RETURN(PagePlan after, PlanAfter(visit, row ? &*row : nullptr, second, before, now));
    const bool counted = IsCounted(visit.page);
    if (counted) Count(ShareOf(before, rule), ShareOf(after, rule));
    if (after.counted()) {
      const bool again = row && !second && before.counted();
      const int64_t fetched_before = again ? std::min(row->fetched_at, visit.at) : 0;
      const int64_t due_before =
          again ? PlannedDue(before, rule, fetched_before) : PagePlan::kNever;
      const absl::Time due =
          due_before == PagePlan::kNever ? fetched : absl::FromUnixSeconds(due_before);
      const absl::Time previous =
          again ? absl::FromUnixSeconds(fetched_before) : absl::InfinitePast();
      after.due = IsDuplicate(visit) ? refresh::DueSecond(fetched + options_.longest)
                                     : NextDueOf(due, previous, fetched, after, rule);
    }
    if (std::exchange(rule.errand, false)) errands_done_.push_back(rule.sent_by);
    if (counted) {
      RETURN_IF_ERROR(
          AddToCalendar(visit.page, DueIn(visit.page, after, rule, absl::ToUnixSeconds(fetched))));
    }
    if (visit.at > 0) refresh_rate_.NoteReading();
    NotOffered(visit.page);
    this_group_[visit.page] = after;
    visit.plan = after.Encode();
  }
  return KeepMemory();
}

absl::Status RefreshPlan::TakeKeptMemory() {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kMeta, kMemoryKey));
  std::random_device device;
  const uint64_t salt = uint64_t{device()} << 32 | device();
  memory_ =
      refresh::MemoryChoice::Decode(row.value_or(""), salt).value_or(refresh::MemoryChoice(salt));
  memory_kept_ = memory_.chosen();
  return absl::OkStatus();
}

// It changes a few times in the life of a crawl; what is lost is learnt again.
absl::Status RefreshPlan::KeepMemory() {
  if (memory_.chosen() == memory_kept_) return absl::OkStatus();
  memory_kept_ = memory_.chosen();
  store::Batch batch;
  batch.Put(store::Table::kMeta, kMemoryKey, memory_.Encode());
  return store_.Write(batch, store::Sync::kNo);
}

// `before`: the row on disk; `second`: `plan` is that of another visit of this group.
absl::StatusOr<PagePlan> RefreshPlan::PlanAfter(const ledger::Visit& visit,
                                                const ledger::HistoryRow* before, bool second,
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
    const bool was_there = before != nullptr || (second && plan.losses == 0);
    const bool never_there = visit.kind == VisitKind::kGone && !was_there;
    const int losses = never_there ? PagePlan::kLossesMax - 1 : plan.losses + 1;
    after.losses = static_cast<uint8_t>(std::min<int>(losses, PagePlan::kLossesMax));
    after.due = refresh::DueAfterLoss(fetched, after.losses);
    return after;
  }
  if (visit.kind == VisitKind::kFetched) after.category = CategoryOf(visit);
  if (after.category != plan.category) after.in_group = false;
  Observe(visit, second ? nullptr : before, after);
  after.losses = 0;
  after.due = absl::ToUnixSeconds(fetched);  // counted from now on; NextDueOf decides
  const double rate =
      refresh::PosteriorRate(after.changes, rates_.Prior(visit.page.shard(), after.category))
          .rate.mean;
  double importance = 0;
  if (!IsDuplicate(visit)) {
    ASSIGN_OR_RETURN(importance, ImportanceOf(visit.page, before));
  }
  after.weight = refresh::RefreshWeight::Of(importance, rate);
  after.rate = refresh::RoundedRate::Of(rate);
  return after;
}

// `due`: when this reading was due; `previous`: the one before, InfinitePast if there was none. As
// for a factor of 1, and as if nothing were published.
int64_t RefreshPlan::NextDueOf(absl::Time due, absl::Time previous, absl::Time fetched,
                               const PagePlan& plan, const Rule& rule) const {
  absl::Time next = refresh::NextDue(due, fetched, FrequencyOf(plan, rule));
  if (previous < fetched)
    next = std::min(next, fetched + kIntervalGrowthMax * (fetched - previous));
  next = std::clamp(next, fetched + options_.shortest, fetched + options_.longest);
  const double of_category = frequencies_.scale(static_cast<size_t>(plan.category));
  const double scale = ScaleOf(plan, rule, of_category == 0 ? 1 : of_category);
  // Rounded up: a pause of nothing would have no length for any factor.
  return refresh::DueSecond(fetched + absl::Ceil((next - fetched) * scale, absl::Seconds(1)));
}

// An interval counts from one reading of the page's content to the next one.
void RefreshPlan::Observe(const ledger::Visit& visit, const ledger::HistoryRow* before,
                          PagePlan& plan) {
  refresh::ChangeObservation seen;
  seen.fetched = absl::FromUnixSeconds(visit.at);
  const bool unmodified = visit.kind == VisitKind::kNotModified;
  const VisitKind kind = unmodified ? VisitKind::kFetched : visit.kind;
  const bool comparable =
      before != nullptr && plan.losses == 0 && before->kind == kind && before->fetched_at > 0 &&
      before->fetched_at <= visit.at &&
      (unmodified || refresh::AreComparable(before->content_hash, visit.content_hash));
  if (comparable) {
    seen.previous = absl::FromUnixSeconds(before->fetched_at);
    seen.changed = !unmodified && visit.content_hash != before->content_hash;
  }
  refresh::DateTrust& dates = rates_.dates(visit.page.shard());
  if (!unmodified) {
    seen.last_change = TimeOf(visit.last_modified);
  } else if (before != nullptr) {
    seen.last_change = TimeOf(before->last_modified);
  }
  // With nothing to hold it against, a date is worth as much as the others of its group. It may
  // have been counted already if the page was read before.
  if (!comparable && (!dates.proved() || !plan.changes.empty())) seen.last_change.reset();
  if (memory_.Follows(visit.page))
    memory_.Observe(visit.page, seen, rates_.Prior(visit.page.shard(), plan.category));
  const refresh::DateUse use = plan.changes.Observe(seen, memory_.memory());
  if (!comparable) return;
  if (seen.changed) dates.Count(use);
  ++readings_;
  ++readings_of_[static_cast<size_t>(plan.category)];
  changes_ += seen.changed ? 1 : 0;
  const double seconds = absl::ToDoubleSeconds(seen.fetched - seen.previous);
  const refresh::RatePosterior rate =
      refresh::PosteriorRate(plan.changes, rates_.Prior(visit.page.shard(), plan.category));
  rates_.Observe(visit.page.shard(), plan.category, rate.distribution, seconds, !plan.in_group);
  plan.in_group |= seconds > 0;
}

// `row`: null before its first visit.
absl::StatusOr<double> RefreshPlan::ImportanceOf(PageId page, const ledger::HistoryRow* row) const {
  const std::optional<page_table::Page> known = ledger_.books().table().Find(page);
  if (!known) return 0;
  const ledger::Accounting& accounting = ledger_.accounting();
  if (row != nullptr) return accounting.Estimate(row->history, known->cash.value());
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kPage, ledger::KeyOf(page)));
  if (!bytes) return ledger::LacksRow(page);
  ASSIGN_OR_RETURN(const ledger::PageRow name, ledger::ReadPageRow(page, *bytes));
  return accounting.Estimate(accounting.Unvisited(name), known->cash.value());
}

// Before all pages are counted, each is worth as much as another. A page of a category that is not
// refreshed has the frequency of factor 1, for when it is.
double RefreshPlan::FrequencyOf(const PagePlan& plan, const Rule& rule) const {
  const auto category = static_cast<size_t>(plan.category);
  const refresh::RefreshWeight weight = plan.weight.Times(rule.Scale(plan));
  if (!count_from_)
    return frequencies_.scale(category) > 0
               ? frequencies_.OfAtLeast(refresh_rate_.shared_multiplier(), weight, category)
               : frequencies_.OfFactorOne(weight);
  const uint64_t done = std::max<uint64_t>(1, ledger_.books().table().totals().done);
  return refresh_rate_.bandwidth() / static_cast<double>(done);  // NextDueOf keeps to the bounds
}

}  // namespace opic::node

#include "node/refresh_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/encoding.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "refresh/change_rate.h"
#include "schedule/refresh_cash.h"

namespace opic::node {
namespace {

using ledger::VisitKind;
using refresh::PagePlan;
using refresh::Rule;

constexpr size_t kRowsPerStep = 1000;   // counted in a turn
constexpr size_t kLooksPerStep = 64;    // rows of pages that may be due, read in a turn
constexpr size_t kDueMax = 512;         // known to be due at a time
constexpr size_t kOnTheMoveMax = 4096;  // beyond, they wait for the next count
constexpr absl::Duration kSaveEvery = absl::Hours(6);  // gives room in the file back
// Of pages that were read before anything was planned: from the fetch.
constexpr absl::Duration kUnplannedPause = absl::Hours(24);
// A reading that lies further ahead is by a clock that was: it does not tell what came before it.
constexpr int64_t kClockSlack = 60;  // seconds

RefreshOptions Tuned(RefreshOptions options, const RefreshTuning& tuning) {
  options.pages_per_s = tuning.pages_per_s.value_or(options.pages_per_s);
  options.share = tuning.share.value_or(options.share);
  for (size_t c = 0; c < refresh::kCategories; ++c)
    options.factors[c] = tuning.factors[c].value_or(options.factors[c]);
  return options;
}

}  // namespace

RefreshPlan::RefreshPlan(const RefreshOptions& options, const ledger::Ledger& ledger,
                         store::Store& store, const std::string& folder, absl::Time now)
    : as_started_(options),
      options_(options),
      ledger_(ledger),
      store_(store),
      folder_(folder),
      now_(now),
      refresh_rate_(options, now),
      frequencies_(NoPages()) {}

absl::StatusOr<std::unique_ptr<RefreshPlan>> RefreshPlan::Open(const RefreshOptions& options,
                                                               const ledger::Ledger& ledger,
                                                               store::Store& store,
                                                               const std::string& folder,
                                                               absl::Time now) {
  std::unique_ptr<RefreshPlan> plan(new RefreshPlan(options, ledger, store, folder, now));
  RETURN_IF_ERROR(plan->TakeKeptMemory());
  RETURN_IF_ERROR(plan->CountAnew(now));
  return plan;
}

absl::Status RefreshPlan::CountAnew(absl::Time now) {
  ASSIGN_OR_RETURN(std::unique_ptr<CalendarFile> file, CalendarFile::Create(folder_));
  ASSIGN_OR_RETURN(refresh::Calendar calendar, refresh::Calendar::Open(*file, now));
  calendar_.emplace(std::move(calendar));
  file_ = std::move(file);
  saved_ = now;
  frequencies_ = NoPages();
  placements_ = ledger_.placements().changes();
  own_shards_ = OwnShards();
  fixed_ = {};
  rates_.ForgetRates();
  due_.clear();
  on_the_move_.clear();
  offered_.clear();
  waiting_rate_ = 0;
  held_by_.clear();
  held_by_budget_ = false;
  count_from_ = "";
  return absl::OkStatus();
}

// A digest of the shards whose rows are all here and this node's.
uint64_t RefreshPlan::OwnShards() const {
  std::string own(ledger_.charter().shards, '-');
  for (uint32_t shard = 0; shard < own.size(); ++shard) {
    if (ledger_.moves().Workable(ShardAt(shard))) own[shard] = '+';
  }
  return base::Hash64(own);
}

refresh::Frequencies RefreshPlan::NoPages() const {
  refresh::Frequencies none({.floor = 1 / absl::ToDoubleSeconds(options_.longest),
                             .cap = 1 / absl::ToDoubleSeconds(options_.shortest),
                             .bandwidth = refresh_rate_.planned(),
                             .categories = refresh::kCategories});
  for (size_t c = 0; c < refresh::kCategories; ++c) none.SetFactor(options_.factors[c], c);
  return none;
}

absl::Status RefreshPlan::Tune(const RefreshTuning& tuning, absl::Time now) {
  const RefreshOptions before = std::exchange(options_, Tuned(as_started_, tuning));
  if (options_.factors != before.factors) {
    const absl::Status counted = CountAnew(now);
    if (!counted.ok()) options_ = before;
    RETURN_IF_ERROR(counted);
  }
  refresh_rate_.Tune(options_);
  frequencies_.SetBandwidth(refresh_rate_.planned());
  return absl::OkStatus();
}

// A page that was read before anything was planned has a plan, too: the same at every look. So has
// one whose plan cannot be read (from a node that is not in its senses): its rate is learnt anew.
PagePlan RefreshPlan::PlanOf(const ledger::HistoryRow& row) {
  if (!row.plan.empty()) {
    std::optional<PagePlan> plan = PagePlan::Decode(row.plan);
    if (plan) return *plan;
    if (!std::exchange(damage_logged_, true))
      base::LogWarning("a page's plan cannot be read; what it knew of its changes is learnt anew");
  }
  PagePlan plan;
  if (row.fetched_at > 0 && row.kind != VisitKind::kOutOfScope)
    plan.due = FetchedAt(row) + absl::ToInt64Seconds(kUnplannedPause);
  return plan;
}

int64_t RefreshPlan::DueIn(PageId page, const PagePlan& plan, const Rule& rule,
                           int64_t fetched_at) const {
  const bool read = plan.counted() && fetched_at >= rule.read_since &&
                    fetched_at <= absl::ToUnixSeconds(now_) + kClockSlack;
  if (rule.errand && !read) return PagePlan::kAtOnce;
  if (rule.read_since > 0 && plan.counted() && !read) return PagePlan::kAtOnce;
  if (rule.never) return PagePlan::kNever;
  if (rule.fixed() && plan.counted()) return refresh::FixedDue(fetched_at, rule, page.word());
  return PlannedDue(plan, rule, fetched_at);
}

// What its frequency is multiplied by. A page without weight waits for the longest pause, whatever
// its category and publications ask for.
double RefreshPlan::ScaleOf(const PagePlan& plan, const Rule& rule, double of_category) {
  return plan.weight == refresh::RefreshWeight() ? 1 : of_category * rule.Scale(plan);
}

// As long as the factor of its category is what it is now.
int64_t RefreshPlan::PlannedDue(const PagePlan& plan, const Rule& rule, int64_t fetched_at) const {
  if (plan.due == PagePlan::kNever) return PagePlan::kNever;
  const double scale = frequencies_.scale(static_cast<size_t>(plan.category));
  if (scale == 0) return PagePlan::kNever;
  if (!plan.counted()) return plan.due;
  const double pause = static_cast<double>(plan.due - fetched_at) / ScaleOf(plan, rule, scale);
  return fetched_at +
         static_cast<int64_t>(std::clamp(pause, absl::ToDoubleSeconds(options_.shortest),
                                         absl::ToDoubleSeconds(options_.longest)));
}

absl::Status RefreshPlan::Step(absl::Time now) {
  now_ = now;
  this_group_.clear();
  if (placements_ != ledger_.placements().changes()) {
    placements_ = ledger_.placements().changes();
    if (OwnShards() != own_shards_) RETURN_IF_ERROR(CountAnew(now));
  }
  refresh_rate_.Step({.all_read = AllRead(), .due = !due_.empty(), .rate_wanted = waiting_rate_},
                     frequencies_, now);
  frequencies_.SetBandwidth(refresh_rate_.planned());
  RETURN_IF_ERROR(KeepBook(now));
  if (count_from_) RETURN_IF_ERROR(CountSome());
  SetAside();
  // The calendar does not go back in time.
  if (now < saved_) RETURN_IF_ERROR(CountAnew(now));
  if (now >= saved_ + kSaveEvery) {
    saved_ = now;
    RETURN_IF_ERROR(calendar_->Save());
  }
  RETURN_IF_ERROR(LookAtSome(now));
  return LookAtErrands(now);
}

absl::Status RefreshPlan::CountSome() {
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kHistory, *count_from_);
  for (size_t seen = 0; rows->Valid() && seen < kRowsPerStep; rows->Next(), ++seen) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::ReadHistoryRow(page, rows->value(), ledger_.window()));
    ASSIGN_OR_RETURN(const Rule rule, RuleOf(page));
    const PagePlan plan = PlanOf(row);
    Count({}, ShareOf(plan, rule));
    const int64_t due = DueIn(page, plan, rule, FetchedAt(row)), now = absl::ToUnixSeconds(now_);
    // It was read by a clock that was ahead for longer than that: only the pause tells something.
    const int64_t pause = due - FetchedAt(row);
    const bool far_ahead = due > PagePlan::kAtOnce && FetchedAt(row) > now + pause;
    RETURN_IF_ERROR(AddToCalendar(page, far_ahead ? now + pause : due));
    if (!plan.in_group) continue;
    const double seconds =
        plan.changes.quiet_seconds() + plan.changes.undated_seconds() + plan.changes.age_seconds();
    const refresh::RatePosterior rate =
        refresh::PosteriorRate(plan.changes, rates_.Prior(page.shard(), plan.category));
    rates_.Count(page.shard(), plan.category, rate.distribution, seconds);
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

absl::Status RefreshPlan::AddToCalendar(PageId page, int64_t due) {
  if (due == PagePlan::kNever) return absl::OkStatus();
  return calendar_->Add(page, absl::FromUnixSeconds(due));
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
    if (!due) continue;
    if (ledger_.moves().Workable(entry.page.shard())) {
      if (entry.due == PagePlan::kAtOnce) std::rotate(due_.begin(), due_.end() - 1, due_.end());
    } else if (on_the_move_.size() < kOnTheMoveMax) {
      on_the_move_.push_back(entry);
    }
  }
  on_the_move_.insert(on_the_move_.end(), again.begin(), again.end());
  return absl::OkStatus();
}

// The row decides: an entry of another time is an old one. What is due and may be visited now is
// the last of due_ afterwards.
absl::StatusOr<bool> RefreshPlan::IsDue(const refresh::CalendarEntry& entry) {
  const std::optional<page_table::Page> known = ledger_.books().table().Find(entry.page);
  if (!known || known->ordered || offered_.contains(entry.page)) return false;
  if (this_group_.contains(entry.page)) return false;  // it was visited just now
  ASSIGN_OR_RETURN(const Rule rule, RuleOf(entry.page));
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kHistory, ledger::KeyOf(entry.page)));
  if (!bytes && !rule.errand) return false;
  ledger::HistoryRow row;
  if (bytes) {
    ASSIGN_OR_RETURN(row, ledger::ReadHistoryRow(entry.page, *bytes, ledger_.window()));
  }
  const PagePlan plan = PlanOf(row);
  const int64_t due = DueIn(entry.page, plan, rule, FetchedAt(row));
  if (due == PagePlan::kNever) return false;
  if (due != entry.due && FetchedAt(row) <= absl::ToUnixSeconds(now_)) {
    // An old entry; or the only one, of a clock that was ahead and is not any more.
    if (entry.due < FetchedAt(row)) RETURN_IF_ERROR(AddToCalendar(entry.page, due));
    return false;
  }
  if (!ledger_.moves().Workable(entry.page.shard())) return true;
  if (known->done) {
    ASSIGN_OR_RETURN(const bool held_back, IsHeldBack(entry.page));
    if (held_back) return false;
  }
  // What the others leave may be nothing: nobody waits for ever.
  const double planned =
      rule.fixed() ? 1 / static_cast<double>(rule.period)
                   : std::max(FrequencyOf(plan, rule), 1 / absl::ToDoubleSeconds(options_.longest));
  due_.push_back({entry.page, entry.due, due == PagePlan::kAtOnce ? 1 : planned});
  return true;
}

// The calendar has lost the page then; the count after the block finds it again.
absl::StatusOr<bool> RefreshPlan::IsHeldBack(PageId page) {
  if (host_rules_ == nullptr) return false;
  const std::shared_ptr<const schedule::HostRules> rules = host_rules_->rules();
  if (rules->empty() && (budgets_ == nullptr || !budgets_->AnyLimit())) return false;
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kPage, ledger::KeyOf(page)));
  if (!bytes) return false;
  ASSIGN_OR_RETURN(const ledger::PageRow name, ledger::ReadPageRow(page, *bytes));
  const std::optional<url::Url> url = url::Parse(name.url);
  const schedule::HostRule* const block = url ? rules->BlockOf(url->host()) : nullptr;
  if (block != nullptr) held_by_.insert(schedule::NameOf(*block));
  if (block != nullptr || !url || budgets_ == nullptr) return block != nullptr;
  ASSIGN_OR_RETURN(const std::string over, budgets_->OverBudget(url->host()));
  held_by_budget_ |= !over.empty();
  return !over.empty();
}

absl::Status RefreshPlan::HostRulesChanged(absl::Time now) {
  if (held_by_budget_) return CountAnew(now);
  if (held_by_.empty()) return absl::OkStatus();
  std::set<schedule::HostName> lifted = held_by_;
  for (const schedule::HostRule& rule : host_rules_->list()) {
    if (rule.blocked) lifted.erase(schedule::NameOf(rule));
  }
  return lifted.empty() ? absl::OkStatus() : CountAnew(now);
}

std::vector<schedule::Candidate> RefreshPlan::TakeDue(size_t most) {
  std::vector<schedule::Candidate> taken;
  while (taken.size() < most && !due_.empty()) {
    const Due first = due_.front();
    if (first.due != PagePlan::kAtOnce && !refresh_rate_.TakeTurn(AllRead())) break;
    due_.pop_front();
    // It may have been read since.
    const absl::StatusOr<bool> still = IsDue({first.due, first.page});
    if (!still.ok()) on_the_move_.push_back({first.due, first.page});  // Step meets the error, too
    if (!still.ok() || !*still || !ledger_.moves().Workable(first.page.shard())) continue;
    const Due due = due_.back();
    due_.pop_back();
    Offer(due, taken);
  }
  return taken;
}

void RefreshPlan::Offer(const Due& due, std::vector<schedule::Candidate>& taken) {
  if (!offered_.try_emplace(due.page, due).second) return;
  if (due.due != PagePlan::kAtOnce) waiting_rate_ += due.frequency;
  taken.push_back({due.page, schedule::CashOfFrequency(due.frequency)});
}

void RefreshPlan::NotOffered(PageId page) {
  const auto offered = offered_.find(page);
  if (offered == offered_.end()) return;
  if (offered->second.due != PagePlan::kAtOnce) waiting_rate_ -= offered->second.frequency;
  offered_.erase(offered);
  if (offered_.empty()) waiting_rate_ = 0;  // what rounding has left
}

std::optional<absl::Time> RefreshPlan::OfferedSince(PageId page) const {
  const auto offered = offered_.find(page);
  if (offered == offered_.end()) return std::nullopt;
  return absl::FromUnixSeconds(offered->second.due);
}

void RefreshPlan::OffersWereLost() {
  for (const auto& [page, due] : offered_) due_.push_front(due);
  offered_.clear();
  waiting_rate_ = 0;
  std::stable_partition(due_.begin(), due_.end(),
                        [](const Due& due) { return due.due == PagePlan::kAtOnce; });
}

absl::StatusOr<int64_t> RefreshPlan::DueOf(PageId page) {
  ASSIGN_OR_RETURN(const Rule rule, RuleOf(page));
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kHistory, ledger::KeyOf(page)));
  if (!bytes) return rule.errand ? PagePlan::kAtOnce : PagePlan::kNever;
  ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                   ledger::ReadHistoryRow(page, *bytes, ledger_.window()));
  return DueIn(page, PlanOf(row), rule, FetchedAt(row));
}

absl::StatusOr<bool> RefreshPlan::AddDueTimes(std::string& from, DueTimes& times) {
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kHistory, from);
  for (size_t seen = 0; rows->Valid() && seen < kRowsPerStep; rows->Next(), ++seen) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::ReadHistoryRow(page, rows->value(), ledger_.window()));
    if (!ledger_.moves().Workable(page.shard())) continue;  // another node tells of it
    const PagePlan plan = PlanOf(row);
    ASSIGN_OR_RETURN(const Rule rule, RuleOf(page));
    const int64_t due = DueIn(page, plan, rule, FetchedAt(row));
    const auto category = static_cast<size_t>(plan.category);
    if (due == PagePlan::kNever && (plan.due == PagePlan::kNever || rule.never)) {
      ++times.never[category];
    } else if (due == PagePlan::kNever) {
      ++times.stopped[category];
    } else if (plan.losses > 0 && due != PagePlan::kAtOnce) {
      ++times.missed[category];
    } else {
      size_t range = 0;
      while (absl::FromUnixSeconds(due) > now_ + DueTimes::Until(range)) ++range;
      ++times.due[range][category];
    }
  }
  RETURN_IF_ERROR(rows->status());
  if (rows->Valid()) from = std::string(rows->key());
  return !rows->Valid();
}

const schedule::RefreshDemand& RefreshPlan::ShareRate(
    bool can_fetch, absl::Span<const schedule::RefreshDemand> others) {
  const schedule::RefreshDemand& demand =
      refresh_rate_.ShareWith(others, can_fetch && !count_from_, frequencies_);
  frequencies_.SetBandwidth(refresh_rate_.planned());
  return demand;
}

// Of the pages that are unread those that are offered to be read again do not count.
bool RefreshPlan::AllRead() const {
  const page_table::Totals totals = ledger_.books().table().totals();
  return totals.pages - totals.done <= offered_.size();
}

RefreshStats RefreshPlan::stats() const {
  RefreshStats stats;
  stats.on = true;
  stats.counting = count_from_.has_value();
  stats.planned = frequencies_.pages();
  stats.fixed = fixed_.pages();
  stats.planned += stats.fixed;
  stats.fixed_rate = refresh_rate_.fixed();
  stats.publications = book_.size();
  stats.due = due_.size();
  stats.bandwidth = refresh_rate_.bandwidth();
  stats.borrowed = refresh_rate_.borrowed();
  stats.planned_rate = frequencies_.planned() + refresh_rate_.fixed();
  for (size_t c = 0; c < refresh::kCategories; ++c)
    stats.categories[c] = {options_.factors[c], frequencies_.pages(c), readings_of_[c]};
  return stats;
}

}  // namespace opic::node

#include "node/settling_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status_macros.h"

namespace opic::node {
namespace {

// Pages that have less than so many times the cash that may be left are settled sooner one by one:
// a plan needs all links.
constexpr double kWorthwhile = 4;
// Of the cash that may be left: what the plan does not work out, and what is not worth a visit. The
// rest is for what cells round.
constexpr double kNotWorkedOut = 0.05, kNotPaid = 0.25;
// What goes to pages of other nodes comes back, or most of it, and is for another plan: so more need
// not be paid in this one, up to so many times that.
constexpr double kNotPaidOfAway = 2;
constexpr double kGrown = 1.1;  // so many times the pages ask for their links to be read anew

PageId FirstOf(ShardId shard) { return PageId(shard, 0); }

}  // namespace

SettlingPlan::SettlingPlan(const ledger::Ledger& ledger, store::Store& store,
                           const ClosedShards& closed, size_t bytes_max, StepSize step)
    : ledger_(ledger),
      store_(store),
      closed_(closed),
      bytes_max_(bytes_max),
      step_(step),
      plan_(ledger.charter().epsilon) {}

// In units, on this node's pages: a floor is half of an even share of it.
double SettlingPlan::MayBeLeft(double goal) const {
  const auto done = static_cast<double>(ledger_.books().table().totals().done);
  return 2 * done * static_cast<double>(ledger_.accounting().SettleFloor(goal).units());
}

bool SettlingPlan::Worth(double goal) const {
  const auto held = static_cast<double>(ledger_.books().table().totals().done_magnitude);
  return held > kWorthwhile * MayBeLeft(goal);
}

bool SettlingPlan::Fits() const {
  const uint64_t done = ledger_.books().table().totals().done;
  const uint64_t pages = std::max<uint64_t>(done, plan_.pages.size());
  const uint64_t bytes = pages * (sizeof(PageId) + sizeof(double) + sizeof(plan_.payments[0])) +
                         importance::PaymentPlan::BytesFor(pages, plan_.solver.links());
  return bytes <= bytes_max_;
}

absl::StatusOr<bool> SettlingPlan::Step(double goal) {
  switch (plan_.stage) {
    case Stage::kNone:
      if (!Worth(goal)) return false;
      plan_.stage = Stage::kPages;
      break;
    case Stage::kPages:
      FindSome();
      break;
    case Stage::kLinks: {
      const absl::Status read = ReadSome();
      if (!read.ok()) GiveUp();
      RETURN_IF_ERROR(read);
      break;
    }
    case Stage::kCash:
      LookUpSome(goal);
      break;
    case Stage::kSolving:
      SolveSome(goal);
      break;
    case Stage::kPaying:
      if (plan_.next_payment < plan_.payments.size()) break;
      if (plan_.paid && !Worth(goal)) return false;
      PlanAgain();
      break;
    case Stage::kNoUse:
      return false;
  }
  if (!Fits()) GiveUp();
  return plan_.stage != Stage::kNoUse;
}

// Shard after shard.
void SettlingPlan::FindSome() {
  const page_table::PageTable& table = ledger_.books().table();
  const size_t before = plan_.pages.size();
  const bool all =
      table.Walk(plan_.cursor, step_.slots, {.done = true},
                 [this](const page_table::Page& page) { plan_.pages.push_back(page.page); });
  const auto found = plan_.pages.begin() + static_cast<ptrdiff_t>(before);
  std::sort(found, plan_.pages.end());
  if (found != plan_.pages.end()) {
    const auto of_shard = std::lower_bound(plan_.pages.begin(), found, FirstOf(found->shard()));
    std::inplace_merge(of_shard, found, plan_.pages.end());
  }
  if (!all) return;
  // A walk that goes on while pages are added may meet one twice.
  plan_.pages.erase(std::unique(plan_.pages.begin(), plan_.pages.end()), plan_.pages.end());
  auto begin = plan_.pages.begin();
  for (uint32_t shard = 0; shard < table.shards(); ++shard) {
    begin = std::lower_bound(begin, plan_.pages.end(), FirstOf(ShardAt(shard)));
    plan_.shard_begins.push_back(static_cast<uint32_t>(begin - plan_.pages.begin()));
  }
  plan_.shard_begins.push_back(static_cast<uint32_t>(plan_.pages.size()));
  plan_.next_key.assign(1, '\0');
  plan_.stage = Stage::kLinks;
}

std::optional<uint32_t> SettlingPlan::NumberOf(PageId page) const {
  const uint32_t shard = page.shard().value;
  const auto end = plan_.pages.begin() + plan_.shard_begins[shard + 1];
  const auto found = std::lower_bound(plan_.pages.begin() + plan_.shard_begins[shard], end, page);
  if (found == end || *found != page) return std::nullopt;
  return static_cast<uint32_t>(found - plan_.pages.begin());
}

// Rows and pages ascend alike.
absl::Status SettlingPlan::ReadSome() {
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kHistory, plan_.next_key);
  size_t seen = 0, links = 0;
  for (; rows->Valid() && plan_.solver.pages() < plan_.pages.size(); rows->Next()) {
    if (++seen > step_.rows || links > step_.row_links) {
      plan_.next_key = std::string(rows->key());
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    TakeGoneUpTo(page);
    if (plan_.solver.pages() == plan_.pages.size() || plan_.pages[plan_.solver.pages()] != page)
      continue;
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::ReadHistoryRow(page, rows->value(), ledger_.window()));
    TakeRow(row);
    links += row.links.size();
  }
  RETURN_IF_ERROR(rows->status());
  TakeGoneUpTo(std::nullopt);
  plan_.stage = Stage::kCash;
  return absl::OkStatus();
}

// Pages that have left with their shards since they were found, and their rows with them. Nothing:
// all of those that are left.
void SettlingPlan::TakeGoneUpTo(std::optional<PageId> page) {
  while (plan_.solver.pages() < plan_.pages.size() &&
         (!page || plan_.pages[plan_.solver.pages()] < *page))
    plan_.solver.AddPage(0, {}, 0);
}

void SettlingPlan::TakeRow(const ledger::HistoryRow& row) {
  std::vector<uint32_t> inside;
  inside.reserve(row.links.size());
  size_t away = 0;
  for (PageId link : row.links) {
    if (!ledger_.placements().Owns(link.shard())) {
      ++away;
    } else if (const std::optional<uint32_t> number = NumberOf(link)) {
      inside.push_back(*number);
    }
  }
  plan_.solver.AddPage(row.links.size(), inside, away);
}

void SettlingPlan::LookUpSome(double goal) {
  for (size_t seen = 0; plan_.cash.size() < plan_.pages.size(); ++seen) {
    if (seen == step_.pages) return;
    const std::optional<page_table::Page> page =
        ledger_.books().table().Find(plan_.pages[plan_.cash.size()]);
    const bool pays = page && page->done;
    plan_.cash.push_back(pays ? static_cast<double>(page->cash.value().units()) : 0);
  }
  plan_.solver.Begin(std::exchange(plan_.cash, {}), kNotWorkedOut * MayBeLeft(goal));
  plan_.stage = Stage::kSolving;
}

void SettlingPlan::SolveSome(double goal) {
  if (!plan_.solver.Work(step_.links)) return;
  plan_.payments = plan_.solver.Payments(
      std::max(kNotPaid * MayBeLeft(goal), kNotPaidOfAway * plan_.solver.Away()));
  plan_.next_payment = 0;
  plan_.paid = false;
  plan_.stage = Stage::kPaying;
  if (plan_.payments.empty()) GiveUp();
}

// With the links as they were read, unless many pages have come since. Where no page may pay, for
// all are on shards that move, neither could they by another plan.
void SettlingPlan::PlanAgain() {
  const auto done = static_cast<double>(ledger_.books().table().totals().done);
  if (!plan_.paid) {
    GiveUp();
  } else if (done > kGrown * static_cast<double>(plan_.pages.size())) {
    Forget();
  } else {
    plan_.stage = Stage::kCash;
  }
}

SettlingPlan::Payments SettlingPlan::Take(size_t most) {
  Payments next;
  for (; plan_.next_payment < plan_.payments.size() && next.pages.size() < most;
       ++plan_.next_payment) {
    const PageId page = plan_.pages[plan_.payments[plan_.next_payment].page];
    const std::optional<page_table::Page> known = ledger_.books().table().Find(page);
    if (!known || !known->done || closed_.Contains(page.shard())) continue;
    next.pages.push_back(page);
    next.amounts.push_back(plan_.payments[plan_.next_payment].amount);
    plan_.paid = true;
  }
  return next;
}

void SettlingPlan::Forget() {
  if (plan_.stage != Stage::kNone) plan_ = Plan(ledger_.charter().epsilon);
}

void SettlingPlan::GiveUp() {
  Forget();
  plan_.stage = Stage::kNoUse;
}

}  // namespace opic::node

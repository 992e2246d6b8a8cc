#include "node/settling_plan.h"

#include <algorithm>
#include <cmath>
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
// What goes to pages of nodes that make no plan with this one comes back, or most of it, and is for
// another plan: so more need not be paid in this one, up to so many times that.
constexpr double kNotPaidOfAway = 2;
// Of what is left before a round: so far a node works by itself before it asks its peers again.
constexpr double kLeftInARound = 0.1;
constexpr uint32_t kRoundsMax = 200;
// Of what the cluster holds: a plan that leaves more has not helped, as where no page may pay.
constexpr double kNotHelped = 0.5;
constexpr double kGrown = 1.1;  // so many times the pages ask for their links to be read anew

constexpr auto kAmountMax = static_cast<double>(cash::kSupply.units());

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
  // Its number while links are read, in a hash table; and what it is going to be paid, in a
  // message.
  constexpr uint64_t kPerOther =
      sizeof(PageId) + 3 * (sizeof(PageId) + sizeof(uint32_t)) + sizeof(cluster::PlannedPayment);
  const uint64_t bytes =
      pages * (sizeof(PageId) + 2 * sizeof(double) + sizeof(plan_.payments[0])) +
      plan_.others.size() * kPerOther +
      importance::PaymentPlan::BytesFor(pages, plan_.solver.links(), plan_.others.size());
  return bytes <= bytes_max_;
}

void SettlingPlan::MeetPeers(PlanRounds::Way way) {
  rounds_.Start(ledger_.charter().node, ledger_.nodes(), std::move(way));
}

absl::StatusOr<bool> SettlingPlan::Step(double goal, absl::Time now) {
  waits_ = false;
  if (!plan_.together && plan_.stage != Stage::kNone) rounds_.Leave();
  KeepInTouch(now);
  switch (plan_.stage) {
    case Stage::kNone:
      plan_.together = rounds_.Possible();
      if (!Worth(goal) && !(plan_.together && rounds_.Called())) return false;
      if (plan_.together) rounds_.Begin(now);
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
    case Stage::kMeeting:
      Meet(goal, now);
      break;
    case Stage::kCash:
      LookUpSome(goal);
      break;
    case Stage::kSolving:
      SolveSome(goal, now);
      break;
    case Stage::kExchanging:
      HearPeers(goal, now);
      break;
    case Stage::kPaying:
      if (plan_.next_payment < plan_.payments.size()) break;
      if (!plan_.together && plan_.paid && !Worth(goal)) return false;
      PlanAgain(now);
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
  plan_.other_numbers = {};
  plan_.stage = plan_.together ? Stage::kMeeting : Stage::kCash;
  return absl::OkStatus();
}

// Pages that have left with their shards since they were found, and their rows with them. Nothing:
// all of those that are left.
void SettlingPlan::TakeGoneUpTo(std::optional<PageId> page) {
  while (plan_.solver.pages() < plan_.pages.size() &&
         (!page || plan_.pages[plan_.solver.pages()] < *page))
    plan_.solver.AddPage(0, {}, {});
}

void SettlingPlan::TakeRow(const ledger::HistoryRow& row) {
  std::vector<uint32_t> inside, others;
  inside.reserve(row.links.size());
  for (PageId link : row.links) {
    if (!ledger_.placements().Owns(link.shard())) {
      others.push_back(OtherNumberOf(link));
    } else if (const std::optional<uint32_t> number = NumberOf(link)) {
      inside.push_back(*number);
    }
  }
  plan_.solver.AddPage(row.links.size(), inside, others);
}

// One for all of them where nobody wants to know what they get.
uint32_t SettlingPlan::OtherNumberOf(PageId page) {
  if (!plan_.together) return 0;
  const auto [found, is_new] =
      plan_.other_numbers.try_emplace(page, static_cast<uint32_t>(plan_.others.size()));
  if (is_new) plan_.others.push_back(page);
  return found->second;
}

// Who waits does not say that it is at work: what both wait for may be lost.
bool SettlingPlan::ListensToPeers() const {
  return plan_.stage == Stage::kExchanging ||
         (plan_.stage == Stage::kMeeting && rounds_.round() >= PlanRounds::kArrived);
}

void SettlingPlan::KeepInTouch(absl::Time now) {
  if (!ListensToPeers()) rounds_.KeepInTouch(now);
}

// What this node has paid is on the tables of its peers.
bool SettlingPlan::HaveArrived() const {
  for (uint16_t n = 0; n < ledger_.nodes(); ++n) {
    if (ledger_.peers().Has(NodeId{n}) && !ledger_.peers().retained(NodeId{n}).empty())
      return false;
  }
  return true;
}

// Nothing is settled meanwhile, so that all see the same cash.
void SettlingPlan::Meet(double goal, absl::Time now) {
  const PlanRounds::Heard heard = rounds_.Listen(now);
  if (heard == PlanRounds::Heard::kBroken) return GoOnAlone();
  if (rounds_.round() < PlanRounds::kArrived) {
    waits_ = !HaveArrived();
    if (!waits_) rounds_.Say({}, now);
    return;
  }
  waits_ = heard == PlanRounds::Heard::kNotYet;
  if (waits_) return;
  if (rounds_.round() == PlanRounds::kArrived) {
    plan_.incoming.assign(plan_.pages.size(), 0);
    const auto held = static_cast<double>(ledger_.books().table().totals().done_magnitude);
    return rounds_.Say({held, MayBeLeft(goal)}, now);
  }
  const auto [held, may_be_left] = rounds_.sums();
  const bool helped = plan_.held == 0 || held < kNotHelped * plan_.held;
  plan_.held = held;
  plan_.stage = Stage::kCash;
  if (held <= kWorthwhile * may_be_left || !helped) GiveUp();
}

// From the cash that there is now.
void SettlingPlan::GoOnAlone() {
  plan_.together = false;
  plan_.incoming = {};
  plan_.cash = {};
  rounds_.Leave();
  plan_.stage = Stage::kCash;
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
  if (plan_.together) {
    for (uint32_t page = 0; page < plan_.pages.size(); ++page)
      plan_.solver.Add(page, plan_.incoming[page]);
    plan_.incoming = {};
    WorkForARound(goal);
  }
  plan_.stage = Stage::kSolving;
}

void SettlingPlan::WorkForARound(double goal) {
  plan_.solver.WorkAgain(
      std::max(kNotWorkedOut * MayBeLeft(goal) / 2, kLeftInARound * plan_.solver.Left()));
}

void SettlingPlan::SolveSome(double goal, absl::Time now) {
  if (!plan_.solver.Work(step_.links)) return;
  if (plan_.together) return TellPeers(goal, now);
  BeginPaying(std::max(kNotPaid * MayBeLeft(goal), kNotPaidOfAway * plan_.solver.Away()));
}

void SettlingPlan::TellPeers(double goal, absl::Time now) {
  const std::vector<double> outgoing = plan_.solver.TakeOutgoing();
  std::vector<std::vector<cluster::PlannedPayment>> payments(ledger_.nodes());
  double left = plan_.solver.Left();
  for (size_t other = 0; other < outgoing.size(); ++other) {
    const int64_t amount = std::llround(std::clamp(outgoing[other], -kAmountMax, kAmountMax));
    if (amount == 0) continue;
    const PageId page = plan_.others[other];
    const NodeId owner = ledger_.placements().OwnerOf(page.shard());
    payments[owner.value].push_back({page, amount});
    left += std::abs(outgoing[other]);
  }
  rounds_.Say({left, MayBeLeft(goal)}, now, std::move(payments));
  plan_.stage = Stage::kExchanging;
}

void SettlingPlan::HearPeers(double goal, absl::Time now) {
  const PlanRounds::Heard heard = rounds_.Listen(now);
  waits_ = heard == PlanRounds::Heard::kNotYet;
  if (heard == PlanRounds::Heard::kBroken) return GoOnAlone();
  if (waits_) return;
  const auto [left, may_be_left] = rounds_.sums();
  if (left > kNotWorkedOut * may_be_left && rounds_.round() < kRoundsMax) {
    WorkForARound(goal);
    plan_.stage = Stage::kSolving;
    return;
  }
  rounds_.End();
  BeginPaying(kNotPaid * MayBeLeft(goal));
}

void SettlingPlan::Take(NodeId from, const cluster::PlanPart& part, absl::Time now) {
  if (!rounds_.Take(from, part, now) || !plan_.together) return;
  const bool solving = plan_.stage == Stage::kSolving || plan_.stage == Stage::kExchanging;
  for (const cluster::PlannedPayment& payment : part.payments) {
    if (payment.page.shard().value >= ledger_.charter().shards) continue;
    const std::optional<uint32_t> number = NumberOf(payment.page);
    if (!number) continue;
    const auto amount = static_cast<double>(payment.amount);
    solving ? plan_.solver.Add(*number, amount) : void(plan_.incoming[*number] += amount);
  }
}

void SettlingPlan::BeginPaying(double without_max) {
  plan_.payments = plan_.solver.Payments(without_max);
  plan_.next_payment = 0;
  plan_.paid = false;
  plan_.stage = Stage::kPaying;
  if (plan_.payments.empty() && !plan_.together) GiveUp();
}

// With the links as they were read, unless many pages have come since. Where no page may pay, for
// all are on shards that move, neither could they by another plan.
void SettlingPlan::PlanAgain(absl::Time now) {
  const auto done = static_cast<double>(ledger_.books().table().totals().done);
  if (!plan_.paid && !plan_.together) {
    GiveUp();
  } else if (done > kGrown * static_cast<double>(plan_.pages.size())) {
    Forget();
  } else if (plan_.together) {
    rounds_.Begin(now);
    plan_.stage = Stage::kMeeting;
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
  if (plan_.stage == Stage::kNone) return;
  plan_ = Plan(ledger_.charter().epsilon);
  rounds_.EndPaying();
  if (rounds_.in_plan()) rounds_.Leave();
}

void SettlingPlan::GiveUp() {
  Forget();
  plan_.stage = Stage::kNoUse;
}

}  // namespace opic::node

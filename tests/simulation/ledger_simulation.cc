#include "tests/simulation/ledger_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/simulation/drawn_options.h"

namespace opic {
namespace {

using ledger::VisitKind;

// Small tables, so that shards have one or two pages in some seeds and many in others; supplies
// from poor to the whole, so that rounding is exact in some and coarse in others.
ledger::Charter CharterFor(base::Rng& rng) {
  ledger::Charter charter;
  charter.cluster_id = rng();
  charter.shards = 1u << rng.Below(4);
  charter.supply =
      cash::Amount(rng.Below(3) == 0 ? 1 + rng.Below(1'000'000) : cash::kSupply.units());
  charter.genesis = charter.supply;
  charter.epsilon = cash::SmallEdge::FromShare(rng.Uniform());
  charter.window.kind = static_cast<importance::WindowKind>(rng.Below(5));
  charter.keep_links = rng.Below(6) != 0;
  return charter;
}

std::vector<PageId> UniverseFor(base::Rng& rng, uint32_t shards) {
  std::vector<PageId> pages(8 + rng.Below(90));
  for (PageId& page : pages) {
    page = PageId(ShardAt(rng.Below(shards)), rng() % kPageIdCount);
  }
  return pages;
}

}  // namespace

LedgerSimulation::LedgerSimulation(uint64_t seed, const std::string& checkpoint_folder,
                                   std::unique_ptr<UnreliableStore> store)
    : rng_(seed),
      charter_(CharterFor(rng_)),
      options_(DrawnOptions(rng_, checkpoint_folder)),
      universe_(UniverseFor(rng_, charter_.shards)),
      store_(std::move(store)),
      books_(charter_) {}

void LedgerSimulation::CrashAt(uint64_t call, UnreliableStore::When when, bool again) {
  store_->CrashAt(call, when);
  again_ = again;
}

void LedgerSimulation::ArmAgain() {
  const auto when = rng_.Below(2) == 0 ? CrashingStore::When::kBefore : CrashingStore::When::kAfter;
  if (again_) store_->CrashAt(1 + rng_.Below(40), when);
}

PageId LedgerSimulation::AnyPage() { return universe_[rng_.Below(universe_.size())]; }

PageId LedgerSimulation::AnyKnownPage() {
  const std::vector<PageId> known = books_.pages();
  return known[rng_.Below(known.size())];
}

ledger::Link LedgerSimulation::LinkTo(PageId page) const {
  return {page, "http://host/" + std::to_string(page.word())};
}

ledger::Visit LedgerSimulation::AnyVisit() {
  ledger::Visit visit{AnyKnownPage(), static_cast<VisitKind>(rng_.Below(ledger::kVisitKinds))};
  visit.at = visit.kind == VisitKind::kForbidden ? 0 : 1'000'000'000;
  uint64_t links = 0;
  if (visit.kind == VisitKind::kFetched) links = rng_.Below(8);
  if (visit.kind == VisitKind::kRedirect) links = 1;
  std::vector<PageId> targets;
  while (links-- > 0) targets.push_back(AnyPage());
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  for (PageId target : targets) visit.links.push_back(LinkTo(target));
  if (visit.links.size() == 7)  // it names the first one as its canonical page
    visit.discovered = std::exchange(visit.links, {visit.links.front()});
  return visit;
}

bool LedgerSimulation::Open() {
  ledger_.reset();
  auto opened = ledger::Ledger::Open(options_, *store_, &charter_);
  if (opened.ok()) ledger_ = *std::move(opened);
  EXPECT_TRUE(opened.ok() || store_->crashed()) << opened.status();
  return opened.ok();
}

void LedgerSimulation::SeedPages() {
  std::vector<ledger::Link> seeds;
  for (uint64_t count = 1 + rng_.Below(3); count > 0; --count) seeds.push_back(LinkTo(AnyPage()));
  books_.ExpectSeeds(seeds);
  ledger_->Seed(seeds);
}

bool LedgerSimulation::Record() {
  std::vector<ledger::Visit> visits;
  for (uint64_t count = 1 + rng_.Below(4); count > 0; --count) visits.push_back(AnyVisit());
  for (const ledger::Visit& visit : visits) books_.Expect(visit);
  return ledger_->Record(visits).ok();
}

bool LedgerSimulation::Settle() {
  std::vector<PageId> pages;
  for (uint64_t count = 1 + rng_.Below(6); count > 0; --count) {
    const auto page = ledger_->books().table().Find(AnyKnownPage());
    if (page && page->done) pages.push_back(page->page);
  }
  return ledger_->Settle(pages).ok();
}

void LedgerSimulation::ReopenPages() { ledger_->Reopen({AnyKnownPage()}); }

bool LedgerSimulation::Commit() {
  const auto log_number = ledger_->Commit();
  if (!log_number.ok()) return false;
  // The checks read the store, which is no business of the crash.
  if (*log_number != books_.entered()) books_.Enter(*log_number, store_->rows());
  books_.Compare(*ledger_, store_->rows());
  return true;
}

bool LedgerSimulation::Checkpoint(bool all) {
  if (!Commit()) return false;
  return ledger_->Checkpoint(all).ok();
}

// The group is lost with the process, which ends when it is told; the disk gets room again.
bool LedgerSimulation::FillDisk() {
  if (!Record()) return false;
  store_->FillDisk(true);
  const absl::Status committed = ledger_->Commit().status();
  EXPECT_TRUE(absl::IsResourceExhausted(committed)) << committed;
  store_->FillDisk(false);
  books_.ForgetGroup();
  if (!Open()) return false;
  books_.Compare(*ledger_, store_->rows());
  return true;
}

void LedgerSimulation::Step() {
  if (books_.pages().empty()) {
    SeedPages();
    if (!Commit()) Recover();
    return;
  }
  bool up = true;
  const uint64_t draw = rng_.Below(24);
  if (draw < 2) {
    SeedPages();
  } else if (draw < 4) {
    ReopenPages();
  } else if (draw < 6) {
    up = Checkpoint(/*all=*/rng_.Below(8) == 0);
  } else if (draw < 12) {
    up = Record();
  } else if (draw < 16) {
    up = Settle();
  } else if (draw < 17) {
    up = Record() && Settle();
  } else if (draw < 18) {
    up = FillDisk();
  } else {
    up = Commit();
  }
  if (!up) Recover();
}

// The machine is down. Comes up again, as often as it takes; then all must be as it was at the last
// commit, or one group later: a commit that was cut off may have reached the disk.
void LedgerSimulation::Recover() {
  ASSERT_TRUE(store_->crashed()) << "the ledger failed without a crash";
  do {
    ++crashes_;
    store_->Reboot(rng_);
    ArmAgain();
  } while (!Open() && store_->crashed());
  ASSERT_NE(ledger_, nullptr);
  ASSERT_LE(ledger_->log_number(), books_.entered() + 1);
  if (ledger_->log_number() == books_.entered() + 1) {
    ++surprises_;
    books_.Enter(ledger_->log_number(), store_->rows());
  }
  books_.ForgetGroup();
  books_.Compare(*ledger_, store_->rows());
}

void LedgerSimulation::Run(int steps) {
  if (!Open()) Recover();
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) Step();
  again_ = false;
  store_->CancelCrash();
  if (store_->crashed()) Recover();  // it may have been in the background
  if (testing::Test::HasFailure()) return;
  EXPECT_TRUE(Checkpoint(/*all=*/true));
  EXPECT_TRUE(Open());
  books_.Compare(*ledger_, store_->rows());
}

}  // namespace opic

// Cash constant to the unit, no page lost, through crashes at any store call (docs/design.md
// section 9).
//
// OPIC_LEDGER_SEEDS=FIRST-LAST is the range of random seeds (1-400 by default); a failure prints
// its seed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/simulation/ledger_simulation.h"
#include "tests/support/seeds.h"

namespace opic {
namespace {

support::SeedRange Seeds() { return support::SeedsFrom("OPIC_LEDGER_SEEDS", {1, 400}); }

// For the checkpoints of one simulation after the other. In memory where that is possible: the
// thousands of syncs are what is simulated, the speed of this machine's disk is not.
class LedgerSimulationTest : public testing::Test {
 protected:
  ~LedgerSimulationTest() override { std::filesystem::remove_all(folder_); }
  std::string FreshFolder() const {
    std::filesystem::remove_all(folder_);
    return folder_;
  }
  void CrashAtEveryCall(uint64_t seed, CrashingStore::When when) const;

 private:
  static std::string Parent() {
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
  }
  const std::string folder_ = Parent() + "/opic_simulation-" + std::to_string(getpid());
};

TEST_F(LedgerSimulationTest, ACrawlWithoutCrashesIsExact) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LedgerSimulation simulation(seed, FreshFolder());
    simulation.Run(150);
    if (HasFailure()) return;
  }
}

void LedgerSimulationTest::CrashAtEveryCall(uint64_t seed, CrashingStore::When when) const {
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", crash at call " + std::to_string(call));
    LedgerSimulation simulation(seed, FreshFolder());
    simulation.CrashAt(call, when, /*again=*/false);
    simulation.Run(45);
    if (HasFailure()) return;
    if (simulation.crashes() > 0) continue;
    EXPECT_GT(call, 20u) << "nothing crashed";
    return;  // beyond the last call
  }
}

TEST_F(LedgerSimulationTest, ACrashBeforeAnyStoreCallLosesNothingCommitted) {
  for (uint64_t seed = 100; seed < 112; ++seed)
    CrashAtEveryCall(seed, CrashingStore::When::kBefore);
}

TEST_F(LedgerSimulationTest, ACrashAfterAnyStoreCallLosesNothingCommitted) {
  for (uint64_t seed = 200; seed < 212; ++seed) CrashAtEveryCall(seed, CrashingStore::When::kAfter);
}

// Again and again, in recoveries too.
TEST_F(LedgerSimulationTest, ManyCrashesAtRandomMomentsLoseNothingCommitted) {
  int crashes = 0, surprises = 0;
  const support::SeedRange seeds = Seeds();
  for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LedgerSimulation simulation(seed, FreshFolder());
    simulation.CrashAt(1 + seed % 60, CrashingStore::When::kBefore, /*again=*/true);
    simulation.Run(200);
    if (HasFailure()) return;
    crashes += simulation.crashes();
    surprises += simulation.surprises();
  }
  EXPECT_GT(crashes, static_cast<int>(seeds.size()));
  EXPECT_GT(surprises, 0) << "no commit was cut off behind its sync";
}

}  // namespace
}  // namespace opic

// Cash constant to the unit, no page lost, through crashes at any store call (DESIGN section 9).
//
// OPIC_SIM_SEEDS is the number of random seeds (400 by default); a failure prints its seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/simulation/ledger_simulation.h"

namespace opic {
namespace {

uint64_t Seeds() {
  const char* wanted = std::getenv("OPIC_SIM_SEEDS");
  return wanted == nullptr ? 400 : std::strtoull(wanted, nullptr, 10);
}

std::string FreshFolder() {
  const std::string folder = testing::TempDir() + "/opic_simulation-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(LedgerSimulation, ACrawlWithoutCrashesIsExact) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LedgerSimulation simulation(seed, FreshFolder());
    simulation.Run(150);
    if (HasFailure()) return;
  }
}

void CrashAtEveryCall(uint64_t seed, CrashingStore::When when) {
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", crash at call " + std::to_string(call));
    LedgerSimulation simulation(seed, FreshFolder());
    simulation.CrashAt(call, when, /*again=*/false);
    simulation.Run(45);
    if (testing::Test::HasFailure()) return;
    if (simulation.crashes() == 0) return;  // beyond the last call
  }
}

TEST(LedgerSimulation, ACrashBeforeAnyStoreCallLosesNothingCommitted) {
  for (uint64_t seed = 100; seed < 108; ++seed)
    CrashAtEveryCall(seed, CrashingStore::When::kBefore);
}

TEST(LedgerSimulation, ACrashAfterAnyStoreCallLosesNothingCommitted) {
  for (uint64_t seed = 200; seed < 208; ++seed) CrashAtEveryCall(seed, CrashingStore::When::kAfter);
}

// Again and again, in recoveries too.
TEST(LedgerSimulation, ManyCrashesAtRandomMomentsLoseNothingCommitted) {
  int crashes = 0, surprises = 0;
  for (uint64_t seed = 1000; seed < 1000 + Seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LedgerSimulation simulation(seed, FreshFolder());
    simulation.CrashAt(1 + seed % 60, CrashingStore::When::kBefore, /*again=*/true);
    simulation.Run(200);
    if (HasFailure()) return;
    crashes += simulation.crashes();
    surprises += simulation.surprises();
  }
  EXPECT_GT(crashes, static_cast<int>(Seeds()));
  EXPECT_GT(surprises, 0) << "no commit was cut off behind its sync";
}

}  // namespace
}  // namespace opic

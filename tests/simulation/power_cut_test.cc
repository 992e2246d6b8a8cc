// The simulations of the ledger and of a cluster on the production store, with power cuts at any
// change of a file: difference 0, no committed group lost, no acknowledged batch lost.
//
// A cut in RocksDB's background work comes at another moment in each run, so a seed does not repeat
// a run to the letter. OPIC_POWER_CUT_SEEDS=FIRST-LAST is the range of random seeds of each test
// (1-6 by default); a failure prints its seed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tests/simulation/cluster_simulation.h"
#include "tests/simulation/ledger_simulation.h"
#include "tests/support/forgetful_rocks.h"
#include "tests/support/seeds.h"

namespace opic {
namespace {

support::SeedRange Seeds() { return support::SeedsFrom("OPIC_POWER_CUT_SEEDS", {1, 6}); }

class PowerCutSimulationTest : public testing::Test {
 protected:
  ~PowerCutSimulationTest() override { std::filesystem::remove_all(folder_); }
  std::string FreshFolder() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    return folder_;
  }
  // The power fails while a store recovers, too; and some crashes are those of a process alone.
  std::unique_ptr<UnreliableStore> StoreIn(const std::string& name) const {
    auto store = std::make_unique<ForgetfulRocks>(folder_ + "/" + name);
    store->set_chances({.killed = 0.2, .again = 0.1});
    return store;
  }

 private:
  // In memory where that is possible: no sync of a store reaches the disk anyway.
  static std::string Parent() {
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
  }
  const std::string folder_ = Parent() + "/opic_power_cut_simulation-" + std::to_string(getpid());
};

TEST_F(PowerCutSimulationTest, TheLedgerLosesNothingCommitted) {
  int crashes = 0, surprises = 0;
  const support::SeedRange seeds = Seeds();
  for (uint64_t seed = seeds.first; seed <= seeds.last && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string checkpoints = FreshFolder() + "/checkpoints";
    LedgerSimulation simulation(seed, checkpoints, StoreIn("store"));
    simulation.CrashAt(1 + seed % 60, UnreliableStore::When::kBefore, /*again=*/true);
    simulation.Run(100);
    crashes += simulation.crashes();
    surprises += simulation.surprises();
  }
  std::printf("%d crashes, %d behind a sync\n", crashes, surprises);
  EXPECT_GT(crashes, static_cast<int>(seeds.size()));
}

TEST_F(PowerCutSimulationTest, TwoNodesLoseNoAcknowledgedBatch) {
  ClusterEvents events;
  const support::SeedRange seeds = Seeds();
  for (uint64_t seed = seeds.first; seed <= seeds.last && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string folder = FreshFolder();
    ClusterSimulation simulation(seed, folder, {.moves = seed % 2 == 0}, 2,
                                 [&](uint16_t n) { return StoreIn("store" + std::to_string(n)); });
    simulation.Run(150);
    events.Add(simulation.events());
  }
  std::printf("%s\n", events.ToString().c_str());
  EXPECT_GT(events.crashes, seeds.size() / 2);
  EXPECT_GT(events.applied, seeds.size());
}

}  // namespace
}  // namespace opic

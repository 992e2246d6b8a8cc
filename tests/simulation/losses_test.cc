// Lost, older and doubled data folders and damaged reads in a cluster that crawls, moves shards and
// crashes: the total stays exact to the unit, and the operator's documented acts repair it all.
//
// OPIC_LOSSES_SEEDS=FIRST-LAST is the range of random seeds; a failure prints its seed, and
// FIRST-FIRST runs that one again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tests/simulation/cluster_simulation.h"
#include "tests/support/seeds.h"

namespace opic {
namespace {

support::SeedRange Seeds() { return support::SeedsFrom("OPIC_LOSSES_SEEDS", {1, 80}); }

class LossesSimulationTest : public testing::Test {
 protected:
  using Method = importance::Method;
  using Faults = ClusterSimulation::Faults;
  ~LossesSimulationTest() override {
    std::filesystem::remove_all(folder_);
    std::printf("%s\n", events_.ToString().c_str());
  }
  void Run(uint64_t seed, Faults faults, Method method, int steps = 250) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ClusterSimulation simulation(seed, folder_, faults, 0, ClusterSimulation::InMemory, method);
    simulation.Run(steps);
    events_.Add(simulation.events());
  }
  void RunAll(Faults faults, Method method) {
    const support::SeedRange seeds = Seeds();
    for (uint64_t seed = seeds.first; seed <= seeds.last && !HasFailure(); ++seed) {
      Run(seed, faults, method);
    }
    if (HasFailure() || seeds.size() < 80) return;
    EXPECT_GT(events_.losses, 0u);
    EXPECT_GT(events_.departures, 0u);
    if (faults.copies) {
      EXPECT_GT(events_.restored, 0u);
      EXPECT_GT(events_.doubled, 0u);
    }
    if (faults.damage) {
      EXPECT_GT(events_.damaged_reads, 0u);
    }
  }

  ClusterEvents events_;

 private:
  static std::string Parent() {
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
  }
  const std::string folder_ = Parent() + "/opic_losses_simulation-" + std::to_string(getpid());
};

TEST_F(LossesSimulationTest, LostFoldersCostNoUnitByWindows) {
  RunAll({.moves = true, .losses = true}, Method::kWindow);
}

TEST_F(LossesSimulationTest, LostFoldersCostNoUnitByLedgerPush) {
  RunAll({.moves = true, .losses = true}, Method::kPush);
}

TEST_F(LossesSimulationTest, OlderDoubledAndDamagedFoldersCostNoUnitByWindows) {
  RunAll({.moves = true, .losses = true, .copies = true, .damage = true}, Method::kWindow);
}

TEST_F(LossesSimulationTest, OlderDoubledAndDamagedFoldersCostNoUnitByLedgerPush) {
  RunAll({.moves = true, .losses = true, .copies = true, .damage = true}, Method::kPush);
}

}  // namespace
}  // namespace opic

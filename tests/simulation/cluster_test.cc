// Cash constant to the unit across nodes, no page lost, each batch applied once, whatever crashes
// and whatever the network does (docs/design.md section 9; rules R1-R4).
//
// OPIC_CLUSTER_SEEDS=FIRST-LAST is the range of random seeds (1-150 by default; 10,000 take some
// minutes in a release build); a failure prints its seed, and FIRST-FIRST runs that one again:
//
//     OPIC_CLUSTER_SEEDS=1-10000 simulation_test --gtest_filter='*AnyFaults*'
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tests/simulation/cluster_simulation.h"
#include "tests/support/seeds.h"

namespace opic {
namespace {

support::SeedRange Seeds() { return support::SeedsFrom("OPIC_CLUSTER_SEEDS", {1, 150}); }

class ClusterSimulationTest : public testing::Test {
 protected:
  ~ClusterSimulationTest() override {
    std::filesystem::remove_all(folder_);
    std::printf("%s\n", events_.ToString().c_str());
  }
  std::string FreshFolder() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    return folder_;
  }
  using Method = importance::Method;
  ClusterEvents Run(uint64_t seed, ClusterSimulation::Faults faults, int steps,
                    Method method = Method::kWindow) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterSimulation simulation(seed, FreshFolder(), faults, 0, ClusterSimulation::InMemory,
                                 method);
    simulation.Run(steps);
    events_.Add(simulation.events());
    return simulation.events();
  }
  void CrashAtEveryCall(uint64_t seed, uint16_t node, CrashingStore::When when, bool moves = false);

  ClusterEvents events_;

 private:
  static std::string Parent() {
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
  }
  const std::string folder_ = Parent() + "/opic_cluster_simulation-" + std::to_string(getpid());
};

TEST_F(ClusterSimulationTest, WithoutFaultsAClusterIsExact) {
  for (uint64_t seed = 1; seed <= 10 && !HasFailure(); ++seed) {
    Run(seed, {.network = false, .nodes = false}, 200);
  }
  EXPECT_EQ(events_.crashes + events_.resent + events_.repeated, 0u);
  EXPECT_GT(events_.audits, 0u);
}

TEST_F(ClusterSimulationTest, ShardsMoveWhileAClusterCrawls) {
  for (uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    Run(seed, {.network = false, .nodes = false, .moves = true}, 200);
  }
  EXPECT_GT(events_.departures, 50u);
  EXPECT_GT(events_.arrivals, 50u);
}

TEST_F(ClusterSimulationTest, ABadNetworkLosesAndRepeatsNothing) {
  for (uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    Run(seed, {.network = true, .nodes = false}, 200);
  }
  EXPECT_GT(events_.repeated, 0u);
  EXPECT_EQ(events_.torn, 0u);
}

void ClusterSimulationTest::CrashAtEveryCall(uint64_t seed, uint16_t node, CrashingStore::When when,
                                             bool moves) {
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", node " + std::to_string(node) +
                 ", crash at call " + std::to_string(call));
    ClusterSimulation simulation(seed, FreshFolder(),
                                 {.network = false, .nodes = false, .moves = moves}, 2);
    simulation.CrashAt(node, call, when);
    simulation.Run(60);
    events_.Add(simulation.events());
    if (HasFailure()) return;
    if (simulation.events().crashes > 0) continue;
    EXPECT_GT(call, 20u) << "nothing crashed";
    return;  // beyond the last call
  }
}

TEST_F(ClusterSimulationTest, ACrashBeforeAnyStoreCallOfANodeLosesNothing) {
  for (uint64_t seed = 100; seed < 103 && !HasFailure(); ++seed) {
    CrashAtEveryCall(seed, seed % 2, CrashingStore::When::kBefore);
  }
}

TEST_F(ClusterSimulationTest, ACrashAfterAnyStoreCallOfANodeLosesNothing) {
  for (uint64_t seed = 200; seed < 203 && !HasFailure(); ++seed) {
    CrashAtEveryCall(seed, seed % 2, CrashingStore::When::kAfter);
  }
}

TEST_F(ClusterSimulationTest, ACrashAtAnyStoreCallInTheMiddleOfMovesLosesNothing) {
  for (uint16_t node = 0; node < 2 && !HasFailure(); ++node) {
    CrashAtEveryCall(302 + node, node, CrashingStore::When::kBefore, /*moves=*/true);
    CrashAtEveryCall(302 + node, node, CrashingStore::When::kAfter, /*moves=*/true);
  }
  EXPECT_GT(events_.departures, 50u);
}

// Signed cash: whatever happens on the way, in the end the equation of ledger push holds for every
// page to the unit.
TEST_F(ClusterSimulationTest, TheEquationOutlastsAnyFaults) {
  const support::SeedRange seeds = Seeds();
  for (uint64_t seed = seeds.first; seed <= seeds.last && !HasFailure(); ++seed) {
    Run(seed, {.moves = true}, 250, Method::kPush);
  }
  if (seeds.last - seeds.first < 100) return;
  EXPECT_GT(events_.departures, 100u);
  EXPECT_GT(events_.crashes, 0u);
  EXPECT_GT(events_.forwarded, 0u);
  EXPECT_GT(events_.unnamed, 0u);
}

TEST_F(ClusterSimulationTest, ShardsMoveThroughAnyFaults) {
  const support::SeedRange seeds = Seeds();
  for (uint64_t seed = seeds.first; seed <= seeds.last && !HasFailure(); ++seed) {
    Run(seed, {.moves = true}, 250);
  }
  if (seeds.last - seeds.first < 100) return;
  EXPECT_GT(events_.departures, 100u);
  EXPECT_GT(events_.arrivals, 100u);
  EXPECT_GT(events_.crashes, 0u);
  EXPECT_GT(events_.forwarded, 0u);
}

TEST_F(ClusterSimulationTest, AnyFaultsTogetherLoseNothing) {
  const support::SeedRange seeds = Seeds();
  for (uint64_t seed = seeds.first; seed <= seeds.last && !HasFailure(); ++seed) {
    Run(seed, {}, 250);
  }
  if (seeds.last - seeds.first < 100) return;
  EXPECT_GT(events_.crashes, 0u);
  EXPECT_GT(events_.surprises, 0u) << "no commit was cut off behind its sync";
  EXPECT_GT(events_.full_disks, 0u);
  EXPECT_GT(events_.repeated, 0u);
  EXPECT_GT(events_.forwarded, 0u);
  EXPECT_GT(events_.audits, 0u);
  EXPECT_GT(events_.torn, 0u) << "no restart during an audit";
  EXPECT_GT(events_.clocks_set, 0u);
}

}  // namespace
}  // namespace opic

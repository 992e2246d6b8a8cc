// Hosts on loan (schedule/lease_message.h): no host is asked twice at once or too soon, and every
// page is asked for in the end, whatever stops, breaks or stands still.
//
// OPIC_LEASE_SEEDS=FIRST-LAST is the range of random seeds; a failure prints its seed, and
// FIRST-FIRST runs that one again. OPIC_LEASE_TRACE prints what happens.
//
//     OPIC_LEASE_SEEDS=1-10000 scheduler_test --gtest_filter='LeaseSimulation*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/log.h"
#include "tests/scheduler/lease_world.h"
#include "tests/support/seeds.h"

namespace opic::scheduler {
namespace {

support::SeedRange Seeds() { return support::SeedsFrom("OPIC_LEASE_SEEDS", {1, 300}); }

class LeaseSimulationTest : public testing::Test {
 protected:
  LeaseSimulationTest() { base::StartLog("", base::LogLevel::kError); }
  ~LeaseSimulationTest() override {
    std::printf("%s\n", events_.ToString().c_str());
    base::StartLog("", base::LogLevel::kInfo);
  }
  void Run(uint64_t seed, const LeasePlan& plan) {
    LeaseWorld world(seed, plan);
    world.Run();
    most_at_once_ = std::max(most_at_once_, world.web().most_at_once());
    events_.Add(world.events());
    const std::vector<std::string> complaints = world.Complaints();
    if (complaints.empty()) return;
    ADD_FAILURE() << "seed " << seed << ": " << complaints.front() << " (and "
                  << complaints.size() - 1 << " more)";
  }
  LeaseEvents events_;
  size_t most_at_once_ = 0;  // requests of one host
};

TEST_F(LeaseSimulationTest, WithoutFaultsAHostHasOneAskerAtATime) {
  for (uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    LeasePlan plan = LeasePlan::Of(seed);
    plan.breaks = plan.pauses = plan.kills = plan.stops = false;
    plan.move_every = absl::InfiniteDuration();
    Run(seed, plan);
  }
  EXPECT_EQ(events_.breaks + events_.kills, 0u);
}

TEST_F(LeaseSimulationTest, AnyFaultsLeaveAHostItsPause) {
  const support::SeedRange seeds = Seeds();
  for (uint64_t seed = seeds.first; seed <= seeds.last && !HasFailure(); ++seed) {
    Run(seed, LeasePlan::Of(seed));
  }
  if (HasFailure() || seeds.size() < 100) return;
  EXPECT_GT(events_.breaks, 0u);
  EXPECT_GT(events_.pauses, 0u);
  EXPECT_GT(events_.kills, 0u);
  EXPECT_GT(events_.stops, 0u);
  EXPECT_GT(events_.moves, 0u);
  EXPECT_GT(events_.leases, 0u);
}

TEST_F(LeaseSimulationTest, SeveralRequestsAtOnceAreOfOneAsker) {
  for (uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    LeasePlan plan = LeasePlan::Of(seed);
    plan.per_host_max = 3;
    Run(seed, plan);
  }
  EXPECT_EQ(most_at_once_, 3u);
}

}  // namespace
}  // namespace opic::scheduler

#include "desk/network_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "absl/time/clock.h"

namespace opic::desk {
namespace {

using testing::ElementsAre;
using testing::Pair;

fetch::Response Unheard() {
  fetch::Response response;
  response.error = fetch::Error::kTimeout;
  response.unheard = true;
  response.started = response.ended = absl::Now();
  return response;
}

class NetworkGuardTest : public testing::Test {
 protected:
  NetworkGuard& Begin(NetworkLimits limits) {
    NetworkGuard::Callbacks callbacks;
    callbacks.knock = [this](const Place&, const std::atomic<bool>&) {
      ++knocks_;
      return fetch::Knocked::kNoRoute;
    };
    callbacks.may_knock = [this](const std::string& host) {
      absl::MutexLock lock(&mu_);
      asked_ = host;
      return false;
    };
    callbacks.changed = [] {};
    guard_ = std::make_unique<NetworkGuard>(limits, base::RealClock::Get(), std::move(callbacks));
    return *guard_;
  }
  // Hosts that answer: where one alone is known it is knocked at at once.
  void KnowTwo() {
    fetch::Response answer;
    answer.status = 200;
    answer.started = answer.ended = absl::Now() - absl::Seconds(1);
    for (const char* host : {"a.test", "b.test"})
      guard_->Take({host, 80}, answer, [](NetworkGuard::Whose) {});
  }
  // Counts what is settled, by whose failure it is.
  void Take(const std::string& host) {
    guard_->Take({host, 80}, Unheard(), [this](NetworkGuard::Whose whose) {
      absl::MutexLock lock(&mu_);
      ++settled_[whose];
      hosts_ += whose == NetworkGuard::Whose::kHosts;
    });
  }
  std::map<NetworkGuard::Whose, int> settled() {
    absl::MutexLock lock(&mu_);
    return settled_;
  }

  std::atomic<int> knocks_ = 0;
  absl::Mutex mu_;
  std::string asked_ ABSL_GUARDED_BY(mu_);
  std::map<NetworkGuard::Whose, int> settled_ ABSL_GUARDED_BY(mu_);
  int hosts_ ABSL_GUARDED_BY(mu_) = 0;
  std::unique_ptr<NetworkGuard> guard_;
};

TEST_F(NetworkGuardTest, WhatIsKeptIsBounded) {
  NetworkGuard& guard = Begin({.doubt_first = absl::Hours(1)});
  KnowTwo();
  for (size_t i = 0; i < NetworkGuard::kKeptMax; ++i) Take("a.test");
  EXPECT_TRUE(settled().empty());
  Take("a.test");
  EXPECT_THAT(settled(), ElementsAre(Pair(NetworkGuard::Whose::kUnknown, 1)));
  guard.LetGo();
  EXPECT_THAT(settled(), ElementsAre(Pair(NetworkGuard::Whose::kUnknown,
                                          static_cast<int>(NetworkGuard::kKeptMax) + 1)));
}

TEST_F(NetworkGuardTest, WhatIsKeptIsDroppedWithIt) {
  NetworkGuard& guard = Begin({.doubt_first = absl::Hours(1)});
  KnowTwo();
  Take("a.test");
  guard.Stop();
  guard.Stop();
  EXPECT_TRUE(settled().empty());
}

// An operator's block holds for knocks, too; then there is nobody to ask, and the host is to blame.
TEST_F(NetworkGuardTest, NobodyKnocksAtABlockedHost) {
  Begin({.doubt_first = absl::Milliseconds(1)});
  Take("blocked.test");
  absl::MutexLock lock(&mu_);
  const auto settled = [this] {
    mu_.AssertReaderHeld();
    return hosts_ == 1;
  };
  EXPECT_TRUE(mu_.AwaitWithTimeout(absl::Condition(&settled), absl::Seconds(20)));
  EXPECT_EQ(asked_, "blocked.test");
  EXPECT_EQ(knocks_, 0);
}

}  // namespace
}  // namespace opic::desk

// Whose turn it is while --rate is what everybody waits for.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

constexpr uint64_t kLightHosts = 20, kQueued = 60;

class LongQueuesTest : public testing::Test {
 protected:
  void Begin(const Options& options) {
    node_.Reconfigure(options);
    node_.Hello(1);
    for (uint64_t page = 1; page <= kQueued; ++page) node_.Offer("heavy", {page});
    for (uint64_t host = 0; host < kLightHosts; ++host) OfferLight(host);
  }
  void OfferLight(uint64_t host) {
    node_.Offer(absl::StrCat("light", host), {1'000 + host + kLightHosts * ++offered_});
  }
  // Fetches so many pages, each as soon as it may be; a light host has a new one at once.
  uint64_t OfTheHeavyHostAmong(int fetches) {
    uint64_t heavy = 0;
    for (int i = 0; i < fetches; node_.now += absl::Milliseconds(10)) {
      for (const uint64_t page : node_.Ordered()) {
        ++i;
        node_.Done(page);
        if (page <= kQueued) {
          ++heavy;
        } else {
          longest_wait_ = std::max(longest_wait_, node_.now - served_[page % kLightHosts]);
          served_[page % kLightHosts] = node_.now;
          OfferLight(page % kLightHosts);
        }
      }
    }
    return heavy;
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
  uint64_t offered_ = 0;
  std::vector<absl::Time> served_ = std::vector<absl::Time>(kLightHosts, node_.now);
  absl::Duration longest_wait_;
};

// A turn for each host in a round gave a host whose pages change often as much as one with a page.
TEST_F(LongQueuesTest, HostsWithManyPagesGetMoreOfTheRate) {
  Begin({.delay = absl::ZeroDuration(), .pages_per_s_max = 10});
  EXPECT_GE(OfTheHeavyHostAmong(120), 30u) << "6 if all were given alike";
  EXPECT_LT(longest_wait_, absl::Seconds(10)) << "64 fetches ahead and a round of 21 at most";
}

TEST_F(LongQueuesTest, WithoutARateEachHostHasItsTurn) {
  Begin({.delay = absl::ZeroDuration()});
  EXPECT_NEAR(static_cast<double>(OfTheHeavyHostAmong(120)), 120 / 21.0, 2);
}

}  // namespace
}  // namespace opic::scheduler

// Hosts with favoured pages go before others that are ready, politely, and not for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FavouredHostsTest : public ::testing::Test {
 protected:
  void Begin(const Options& options = {}, uint32_t fetches_max = 1) {
    node_.Reconfigure(options);
    node_.Hello(fetches_max);
  }
  void OfferFavoured(const std::string& host, std::vector<uint64_t> pages, uint64_t cash = 0) {
    node_.Offer(host, std::move(pages), cash, /*favoured=*/true);
  }
  // One fetch after the other, without a pause in between.
  std::vector<uint64_t> FetchSome(size_t most) {
    std::vector<uint64_t> pages;
    while (pages.size() < most) {
      const std::vector<uint64_t> ordered = node_.Ordered();
      if (ordered.empty()) break;
      pages.insert(pages.end(), ordered.begin(), ordered.end());
      for (uint64_t page : ordered) node_.Done(page);
    }
    return pages;
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(FavouredHostsTest, TheyGoFirstThreeTimesOfFour) {
  Begin();
  for (uint64_t i = 0; i < 8; ++i) node_.Offer(absl::StrCat("other", i), {100 + i});
  for (uint64_t i = 0; i < 5; ++i) OfferFavoured(absl::StrCat("wanted", i), {1 + i});
  EXPECT_THAT(FetchSome(20), ElementsAre(1, 2, 3, 100, 4, 5, 101, 102, 103, 104, 105, 106, 107));
}

TEST_F(FavouredHostsTest, TheirDelayHolds) {
  Begin();
  node_.Offer("other", {100});
  OfferFavoured("wanted", {1, 2});
  EXPECT_THAT(FetchSome(9), ElementsAre(1, 100));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(FavouredHostsTest, AHostInLineIsFavouredFromItsFirstSuchPageOnUntilTheLast) {
  Begin({.delay = absl::ZeroDuration()});
  for (uint64_t i = 0; i < 8; ++i) node_.Offer(absl::StrCat("other", i), {100 + i});
  node_.Offer("wanted", {1, 2});
  OfferFavoured("wanted", {3, 4}, /*cash=*/7);
  EXPECT_THAT(FetchSome(6), ElementsAre(3, 4, 100, 101, 102, 103));
}

TEST_F(FavouredHostsTest, OnDiskTheyStayFavoured) {
  Begin({.delay = absl::ZeroDuration(), .queued_in_memory_max = 2});
  for (uint64_t i = 0; i < 8; ++i) node_.Offer(absl::StrCat("other", i), {100 + i});
  OfferFavoured("wanted", {1, 2, 3, 4, 5, 6});
  ASSERT_GT(node_.status().queued_on_disk, 0u);
  EXPECT_THAT(FetchSome(8), ElementsAre(1, 2, 3, 100, 4, 5, 6, 101));
}

TEST_F(FavouredHostsTest, APageThatFailedIsFavouredStill) {
  Begin({.delay = absl::ZeroDuration()});
  for (uint64_t i = 0; i < 8; ++i) node_.Offer(absl::StrCat("other", i), {100 + i});
  OfferFavoured("wanted", {1});
  ASSERT_THAT(node_.Ordered(), ElementsAre(1));
  node_.Say(1, {.result = schedule::Result::kPostponed, .requested = true, .status = 200});
  EXPECT_THAT(FetchSome(2), ElementsAre(1, 100));
}

TEST_F(FavouredHostsTest, ANewSessionForgetsThem) {
  Begin();
  OfferFavoured("wanted", {1});
  node_.Hello(1);
  EXPECT_THAT(FetchSome(9), IsEmpty());
  node_.Offer("other", {100});
  node_.Offer("wanted", {1});
  EXPECT_THAT(FetchSome(9), ElementsAre(100, 1));
}

}  // namespace
}  // namespace opic::scheduler

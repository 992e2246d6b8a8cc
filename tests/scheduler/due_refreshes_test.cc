// Whose turn it is among hosts with refreshes while --rate is what everybody waits for.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

class DueRefreshesTest : public testing::Test {
 protected:
  void Begin(const Options& options) {
    node_.Reconfigure(options);
    node_.Hello(4);
  }
  void Offer(const std::string& host, std::optional<absl::Time> due) {
    ++pages_;
    node_.Offer(host, {pages_}, /*cash=*/pages_ * 7 % 5, /*favoured=*/false, due);
    host_of_[pages_] = host;
    due_[pages_] = due.value_or(node_.now);
  }
  void OfferAll(const std::string& host, int pages, std::optional<absl::Time> due = std::nullopt) {
    for (int i = 0; i < pages; ++i) Offer(host, due);
  }
  // The hosts that are asked now, each of them answering at once.
  std::vector<std::string> Fetch() {
    std::vector<std::string> asked;
    for (const uint64_t page : node_.Ordered()) {
      asked.push_back(host_of_[page]);
      longest_wait_[host_of_[page]] =
          std::max(longest_wait_[host_of_[page]], node_.now - due_[page]);
      node_.Done(page);
    }
    return asked;
  }
  // So many fetches, as fast as the rate allows, by host.
  std::map<std::string, int> FetchSome(int fetches) {
    std::map<std::string, int> asked;
    for (; fetches > 0; node_.now += absl::Milliseconds(10)) {
      for (const std::string& host : Fetch()) ++asked[host], --fetches;
    }
    return asked;
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
  uint64_t pages_ = 0;
  std::map<uint64_t, std::string> host_of_;
  std::map<uint64_t, absl::Time> due_;
  std::map<std::string, absl::Duration> longest_wait_;
};

// Refreshes of 30 hosts fall due, of some 100 times as often as of others, in all half as many
// again as the rate allows.
TEST_F(DueRefreshesTest, HostsGetOfTheRateWhatFallsDueOfTheirs) {
  constexpr double kRate = 20, kOffered = 1.5 * kRate, kSeconds = 300;
  std::map<std::string, double> wanted;  // refreshes a second
  double sum = 0;
  for (int i = 0; i < 30; ++i)
    sum += wanted[absl::StrCat("host", i)] = i < 3 ? 10 : i < 10 ? 1 : 0.1;
  for (auto& [host, rate] : wanted) rate *= kOffered / sum;
  for (const size_t in_memory : {1'000'000, 64}) {
    Begin({.delay = absl::ZeroDuration(),
           .pages_per_s_max = kRate,
           .queued_in_memory_max = in_memory});
    longest_wait_.clear();
    std::map<std::string, double> offered, asked;
    const absl::Time begin = node_.now;
    for (; node_.now < begin + absl::Seconds(kSeconds); node_.now += absl::Milliseconds(10)) {
      const double seconds = absl::ToDoubleSeconds(node_.now - begin);
      for (const auto& [host, rate] : wanted) {
        for (; offered[host] < rate * seconds; ++offered[host]) Offer(host, node_.now);
      }
      for (const std::string& host : Fetch()) ++asked[host];
    }
    double all = 0;
    for (const auto& [host, fetches] : asked) all += fetches;
    EXPECT_NEAR(all, kRate * kSeconds, 4);
    for (const auto& [host, rate] : wanted) {
      const double share = all * rate / kOffered;
      EXPECT_NEAR(asked[host], share, std::max(0.15 * share, 1.5)) << host << " " << in_memory;
      if (rate >= 0.1) continue;  // such a host has one page queued at a time
      EXPECT_LT(longest_wait_[host], absl::Seconds(105)) << "the backlog is 100 s long";
    }
  }
}

TEST_F(DueRefreshesTest, WhatIsToBeDiscoveredKeepsItsTurns) {
  Begin({.delay = absl::ZeroDuration(), .pages_per_s_max = 100});
  for (int host = 0; host < 4; ++host) OfferAll(absl::StrCat("new", host), 100);
  for (int host = 0; host < 4; ++host) {
    for (int i = 0; i < 300; i += host == 0 ? 1 : 10) {
      Offer(absl::StrCat("read", host), node_.now - absl::Seconds(300 - i));
    }
  }
  std::map<std::string, int> asked = FetchSome(160);
  for (int host = 0; host < 4; ++host) {
    EXPECT_NEAR(asked[absl::StrCat("new", host)], 20, 1) << "a turn in a round of eight";
  }
  EXPECT_NEAR(asked["read0"], 80 * 10 / 13, 3) << "of the 80 turns of refreshes";
  EXPECT_NEAR(asked["read1"], 80 * 1 / 13, 3);
}

TEST_F(DueRefreshesTest, PolitenessHolds) {
  Begin({.delay = absl::Seconds(1), .pages_per_s_max = 100});
  OfferAll("read0", 100, node_.now - absl::Minutes(5));
  OfferAll("read1", 100, node_.now);
  std::map<std::string, int> asked = FetchSome(20);
  EXPECT_EQ(asked["read0"], 10);
  EXPECT_EQ(asked["read1"], 10);
}

// A page that was kept from being read for a year is no reason to read its host before others.
TEST_F(DueRefreshesTest, APageThatIsLongOverdueBringsNoOthersForward) {
  Begin({.delay = absl::ZeroDuration(), .pages_per_s_max = 100});
  Offer("late", node_.now - absl::Hours(24 * 365));
  OfferAll("late", 300, node_.now);
  for (int host = 0; host < 10; ++host) {
    OfferAll(absl::StrCat("read", host), 5, node_.now - absl::Minutes(5));
  }
  std::map<std::string, int> asked = FetchSome(250);
  for (int host = 0; host < 10; ++host) EXPECT_EQ(asked[absl::StrCat("read", host)], 5);
}

}  // namespace
}  // namespace opic::scheduler

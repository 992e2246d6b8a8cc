// A thousand hosts at one IP address, among others.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

constexpr int kCrowd = 1000, kOthers = 20;
constexpr absl::Duration kStep = absl::Milliseconds(100);

class CrowdedAddressTest : public testing::Test {
 protected:
  static std::string Crowded(int n) { return absl::StrCat("blog", n, ".example"); }
  static std::string Other(int n) { return absl::StrCat("other", n, ".example"); }
  static std::string AddressOf(const std::string& host) {
    return absl::StartsWith(host, "blog") ? "192.0.2.1" : absl::StrCat("of ", host);
  }
  void Begin(const Options& options) {
    node_.Reconfigure(options);
    node_.Hello(5000);
  }
  void Offer(const std::string& host, uint64_t pages, std::optional<absl::Time> due = {}) {
    std::vector<uint64_t> numbers(pages);
    std::iota(numbers.begin(), numbers.end(), next_);
    next_ += pages;
    for (const uint64_t number : numbers) host_of_[number] = host;
    node_.Offer(host, std::move(numbers), /*cash=*/0, /*favoured=*/false, due);
  }
  // Each request takes `answer`.
  void Crawl(absl::Duration time, absl::Duration answer) {
    for (const absl::Time end = node_.now + time; node_.now < end; node_.now += kStep) {
      while (!under_way_.empty() && under_way_.begin()->first <= node_.now) {
        const uint64_t page = under_way_.begin()->second;
        under_way_.erase(under_way_.begin());
        node_.Done(page, AddressOf(host_of_[page]));
        --at_once_[AddressOf(host_of_[page])];
      }
      for (const uint64_t page : node_.Ordered()) {
        const std::string& host = host_of_[page];
        ++asked_[host];
        int& at_once = at_once_[AddressOf(host)];
        most_at_once_ = std::max(most_at_once_, ++at_once);
        under_way_.emplace(node_.now + answer, page);
      }
    }
  }
  // Of the hosts of the crowd, since the last time.
  struct Turns {
    int fewest = 1 << 30, most = 0, all = 0;
  };
  Turns TurnsOf(std::string (*name)(int), int hosts) {
    Turns turns;
    for (int n = 0; n < hosts; ++n) {
      const int asked = asked_[name(n)];
      turns.fewest = std::min(turns.fewest, asked);
      turns.most = std::max(turns.most, asked);
      turns.all += asked;
    }
    return turns;
  }
  // The first page of each tells its address.
  void LearnAddresses(absl::Duration answer) {
    for (int n = 0; n < kCrowd; ++n) Offer(Crowded(n), 1);
    for (int n = 0; n < kOthers; ++n) Offer(Other(n), 1);
    Crawl(absl::Seconds(30), answer);
    ASSERT_TRUE(under_way_.empty());
    asked_.clear();
    most_at_once_ = 0;
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
  uint64_t next_ = 1;
  std::map<uint64_t, std::string> host_of_;
  std::multimap<absl::Time, uint64_t> under_way_;
  std::map<std::string, int> asked_, at_once_;
  int most_at_once_ = 0;
};

TEST_F(CrowdedAddressTest, TurnsAreFairAndTheAddressIsUsedFully) {
  Begin({.per_address_max = 4});
  LearnAddresses(absl::Seconds(1));
  for (int n = 0; n < kCrowd; ++n) Offer(Crowded(n), n == 0 ? 300 : 5);
  for (int n = 0; n < kOthers; ++n) Offer(Other(n), 600);
  Crawl(absl::Seconds(1000), absl::Seconds(1));
  const Turns crowd = TurnsOf(Crowded, kCrowd), others = TurnsOf(Other, kOthers);
  EXPECT_EQ(most_at_once_, 4);
  EXPECT_NEAR(crowd.all, 4 * 1000, 8) << "four at a time, a second each";
  EXPECT_GE(crowd.fewest, 3);
  EXPECT_LE(crowd.most, 5);
  EXPECT_NEAR(others.fewest, 500, 2) << "a second for the answer, and one for the pause";
}

TEST_F(CrowdedAddressTest, ItsDelayIsUsedFully) {
  Begin({.per_address_max = 4, .address_delay = absl::Milliseconds(500)});
  LearnAddresses(absl::ZeroDuration());
  for (int n = 0; n < kCrowd; ++n) Offer(Crowded(n), 5);
  for (int n = 0; n < kOthers; ++n) Offer(Other(n), 1200);
  Crawl(absl::Seconds(1000), absl::ZeroDuration());
  EXPECT_NEAR(TurnsOf(Crowded, kCrowd).all, 2 * 1000, 4);
  EXPECT_EQ(TurnsOf(Crowded, kCrowd).fewest, 2);
  EXPECT_GE(TurnsOf(Other, kOthers).fewest, 800);
}

// What waits for the address brings its refreshes along: the address's turns go to the host whose
// refreshes have been due longest, as those of the rate do.
TEST_F(CrowdedAddressTest, RefreshesOfItsHostsGoByWhatIsDue) {
  Begin({.per_address_max = 1, .address_delay = absl::Milliseconds(500)});
  LearnAddresses(absl::ZeroDuration());
  // Half as many again as the address allows fall due, a third of them of one host.
  const absl::Time begin = node_.now;
  double offered_one = 0, offered_rest = 0;
  for (int s = 0; s < 1000; ++s) {
    for (; offered_one < 0.9 * s; ++offered_one) Offer(Crowded(0), 1, node_.now);
    for (; offered_rest < 2.1 * s; ++offered_rest)
      Offer(Crowded(1 + static_cast<int>(offered_rest) % (kCrowd - 1)), 1, node_.now);
    Crawl(absl::Seconds(1), absl::ZeroDuration());
  }
  ASSERT_EQ(node_.now - begin, absl::Seconds(1000));
  EXPECT_NEAR(asked_[Crowded(0)], 600, 60);
}

// Rules that concern all of them while they wait.
TEST_F(CrowdedAddressTest, HostsLeaveWhereverTheyStand) {
  Begin({.per_address_max = 1});
  LearnAddresses(absl::ZeroDuration());
  for (int n = 0; n < kCrowd; ++n) Offer(Crowded(n), 2);
  Crawl(absl::Seconds(1), absl::Seconds(1));
  std::vector<schedule::HostRule> rules;
  for (int n = 0; n < kCrowd; ++n) {
    if (n % 3 != 0) rules.push_back({.name = Crowded(n), .blocked = true});
  }
  node_.scheduler().Handle(schedule::Rules{rules}, node_.now);
  asked_.clear();
  Crawl(absl::Seconds(400), absl::Seconds(1));
  for (int n = 0; n < kCrowd; ++n) {
    if (n % 3 == 0) {
      EXPECT_GE(asked_[Crowded(n)], 1) << n;
    } else {
      EXPECT_EQ(asked_[Crowded(n)], 0) << n;
    }
  }
  node_.scheduler().Handle(schedule::Rules{}, node_.now);
  Crawl(absl::Seconds(2000), absl::Seconds(1));
  EXPECT_EQ(node_.status().queued, 0u);
}

}  // namespace
}  // namespace opic::scheduler

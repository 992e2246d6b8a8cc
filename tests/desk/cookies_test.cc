// Cookies of hosts: what the order desk does with them, and how they outlive it.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "desk/cookie_keeper.h"
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const absl::Time kToday = absl::FromUnixSeconds(1'800'000'000);
constexpr size_t kRoom = 1 << 20;

std::string CookieLine(const std::string& name, int64_t expiry = 0) {
  return absl::StrCat("a.test\tFALSE\t/\tFALSE\t", expiry, "\t", name, "\tv");
}

class CookieKeeperTest : public testing::Test {
 protected:
  std::unique_ptr<CookieKeeper> Open(absl::Time now = kToday) {
    auto keeper = CookieKeeper::Open(*store_, kRoom, now);
    EXPECT_TRUE(keeper.ok()) << keeper.status();
    return keeper.ok() ? *std::move(keeper) : nullptr;
  }
  std::vector<std::string> Keys() {
    std::vector<std::string> keys;
    const auto rows = store_->Scan(store::Table::kMeta, "");
    for (; rows->Valid(); rows->Next()) keys.emplace_back(rows->key());
    return keys;
  }
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
};

TEST_F(CookieKeeperTest, TheyOutliveTheProcess) {
  Open()->jar().Keep("a.test", {CookieLine("n")}, kToday);
  EXPECT_THAT(Keys(), ElementsAre("cookies/a.test"));
  EXPECT_THAT(Open()->jar().Of("a.test", kToday), ElementsAre(CookieLine("n")));
}

TEST_F(CookieKeeperTest, TheyAreWrittenWhileItRuns) {
  const std::unique_ptr<CookieKeeper> keeper = Open();
  keeper->jar().Keep("a.test", {CookieLine("n")}, kToday);
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (Keys().empty() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(20));
  EXPECT_THAT(Keys(), ElementsAre("cookies/a.test"));
}

TEST_F(CookieKeeperTest, WhatIsGoneLeavesTheDisk) {
  Open()->jar().Keep("a.test", {CookieLine("n")}, kToday);
  Open()->jar().Keep("a.test", {}, kToday);
  EXPECT_THAT(Keys(), IsEmpty());
}

TEST_F(CookieKeeperTest, WhatHasExpiredLeavesTheDisk) {
  Open()->jar().Keep("a.test", {CookieLine("n", absl::ToUnixSeconds(kToday) + 10)}, kToday);
  Open(kToday + absl::Minutes(1));
  EXPECT_THAT(Keys(), IsEmpty());
}

TEST_F(CookieKeeperTest, OtherRowsStay) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "cookies", "other");
  batch.Put(store::Table::kMeta, "crawl", "other");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  Open()->jar().Keep("a.test", {CookieLine("n")}, kToday);
  EXPECT_THAT(Keys(), ElementsAre("cookies", "cookies/a.test", "crawl"));
}

TEST_F(CookieKeeperTest, ARowThatCannotBeReadIsDamage) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "cookies/a.test",
            "\x01\x05"
            "abc");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  const absl::Status refused = CookieKeeper::Open(*store_, kRoom, kToday).status();
  EXPECT_TRUE(absl::IsDataLoss(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("cookies of a.test"));
}

// Its pages lead to themselves until they are shown the cookie that they set. So does its
// robots.txt set one.
class CookieDeskTest : public OrderDeskTest {
 protected:
  void SetUp() override {
    OrderDeskTest::SetUp();
    options_.cookies = true;
    options_.fetch.connect_to = {"::127.0.0.1:" + std::to_string(gate_.port())};
  }
  static HttpReply Gate(const HttpRequest& request) {
    if (request.target == "/robots.txt") return Answer("200 OK", "Set-Cookie: robots=1\r\n", "");
    if (request.Header("Cookie").find("seen=") != std::string::npos) return support::Ok("inside");
    return Answer("302 Found", "Location: " + request.target + "\r\nSet-Cookie: seen=1; Path=/\r\n",
                  "");
  }
  // The Cookie header of each request.
  std::vector<std::string> Sent() {
    std::vector<std::string> sent;
    for (const HttpRequest& request : gate_.requests()) sent.push_back(request.Header("Cookie"));
    return sent;
  }
  HttpServer gate_{Gate};
};

TEST_F(CookieDeskTest, APageBehindAGateIsFetched) {
  KnowRobots();
  const schedule::Outcome first = OutcomeOf(OrderOf(kPage));
  EXPECT_EQ(first.result, Result::kTransient);
  EXPECT_EQ(first.status, 302);
  EXPECT_FALSE(first.network_failure);
  const ledger::Visit visit = VisitOf(OrderOf(kPage));
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_EQ(VisitOf(OrderOf("http://a.test/second")).kind, VisitKind::kFetched);
  EXPECT_THAT(Sent(), ElementsAre("", "seen=1", "seen=1"));
}

TEST_F(CookieDeskTest, WithoutTheOptionItIsARedirect) {
  options_.cookies = false;
  KnowRobots();
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kRedirect);
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kRedirect);
  EXPECT_THAT(Sent(), ElementsAre("", ""));
}

TEST_F(CookieDeskTest, OnTheLastAttemptItIsARedirect) {
  KnowRobots();
  schedule::Order order = OrderOf(kPage);
  order.last_attempt = true;
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kRedirect);
}

TEST_F(CookieDeskTest, RobotsTxtIsAskedForWithoutAndItsOwnAreDropped) {
  EXPECT_EQ(OutcomeOf(OrderOf(kPage)).result, Result::kPostponed) << "robots.txt comes first";
  EXPECT_EQ(OutcomeOf(OrderOf(kPage)).result, Result::kTransient);
  EXPECT_EQ(OutcomeOf(OrderOf("http://a.test:81/")).result, Result::kPostponed) << "another origin";
  EXPECT_EQ(VisitOf(OrderOf("http://a.test:81/")).kind, VisitKind::kFetched);
  EXPECT_THAT(Sent(), ElementsAre("", "", "", "seen=1"));
}

TEST_F(CookieDeskTest, ASecondProcessIsInside) {
  KnowRobots();
  EXPECT_EQ(OutcomeOf(OrderOf(kPage)).result, Result::kTransient);
  desk_->Stop();
  desk_.reset();
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
}

}  // namespace
}  // namespace opic::desk

// What nodes tell each other of the robots.txt of a host that they share.
#include "tests/desk/robots_cache_fixture.h"

namespace opic::desk {
namespace {

// With whole-URL sharding the verdicts travel with the host.
class SharedRobotsTest : public RobotsCacheTest {
 protected:
  std::string Rows(const std::string& host = "a.test") {
    const absl::StatusOr<std::string> rows = cache_->RowsOf(host, now_);
    EXPECT_TRUE(rows.ok()) << rows.status();
    return rows.value_or("");
  }
  // From now on it is another node's cache.
  void GoToOtherNode() {
    other_ = std::move(store_);
    store_ = NewMemoryStore();
    Restart();
  }
  void Absorb(const std::string& rows, const std::string& host = "a.test") {
    EXPECT_TRUE(cache_->Absorb(host, rows, now_).ok());
  }

  std::unique_ptr<store::Store> other_;
};

TEST_F(SharedRobotsTest, EveryOriginOfTheHostIsReported) {
  TellStatus(page_, 200, "User-agent: *\nDisallow: /private");
  TellStatus("https://a.test:8443/page", 404);
  const std::string rows = Rows();
  GoToOtherNode();
  Absorb(rows);
  EXPECT_FALSE(Allowed("http://a.test/private"));
  EXPECT_TRUE(Allowed("https://a.test:8443/private"));
  EXPECT_NE(Wanted("https://a.test/page"), "");
}

TEST_F(SharedRobotsTest, HostsWhoseNamesBeginAlikeAreNotReported) {
  TellStatus("http://a.test.example/page", 404);
  TellStatus("http://a.testing/page", 404);
  EXPECT_EQ(Rows(), "");
}

TEST_F(SharedRobotsTest, WhatHasExpiredIsNotReported) {
  TellStatus(page_, 404);
  now_ += options_.lifetime + absl::Seconds(1);
  EXPECT_EQ(Rows(), "");
}

TEST_F(SharedRobotsTest, TheNewerVerdictHolds) {
  TellStatus(page_, 404);
  const std::string older = Rows();
  GoToOtherNode();
  now_ += absl::Hours(1);
  TellStatus(page_, 200, "User-agent: *\nDisallow: /");
  Absorb(older);
  EXPECT_FALSE(Allowed(page_));
  const std::string newer = Rows();
  GoToOtherNode();
  Absorb(older);
  Absorb(newer);
  EXPECT_FALSE(Allowed(page_));
}

TEST_F(SharedRobotsTest, AVerdictOnAnotherHostIsPassedOver) {
  TellStatus(page_, 404);
  const std::string rows = Rows();
  GoToOtherNode();
  Absorb(rows, "b.test");
  EXPECT_NE(Wanted(page_), "");
}

// Each node counted its own, while the host's back-off doubled with the failures of all: a dead
// host kept a cluster waiting for minutes.
TEST_F(SharedRobotsTest, FailedRequestsOfAllNodesCount) {
  TellError(page_, fetch::Error::kConnect);
  TellError("http://a.test:8080/", fetch::Error::kConnect);
  TellError("http://a.testing/", fetch::Error::kConnect);
  const std::string first = Rows();
  EXPECT_EQ(first.find("a.testing"), std::string::npos);
  GoToOtherNode();
  Absorb(first);
  EXPECT_NE(Wanted(page_), "");
  TellError(page_, fetch::Error::kConnect);
  const std::string second = Rows();
  GoToOtherNode();
  Absorb(first);
  Absorb(second);
  Absorb(first);
  EXPECT_NE(Wanted(page_), "");
  EXPECT_TRUE(TellError(page_, fetch::Error::kConnect).settled);
  EXPECT_FALSE(Allowed(page_));
  EXPECT_FALSE(TellError("http://a.test:8080/", fetch::Error::kConnect).settled);
  EXPECT_TRUE(TellError("http://a.test:8080/", fetch::Error::kConnect).settled);
}

TEST_F(SharedRobotsTest, AVerdictEndsTheCountOfFailedRequests) {
  TellError(page_, fetch::Error::kConnect);
  const std::string failed = Rows();
  TellStatus(page_, 404);
  const std::string verdict = Rows();
  Absorb(failed);
  EXPECT_TRUE(Allowed(page_));
  EXPECT_EQ(Rows(), verdict);
  GoToOtherNode();
  Absorb(failed);
  Absorb(verdict);
  EXPECT_TRUE(Allowed(page_));
  EXPECT_EQ(Rows(), verdict);
}

// However many a peer says: one request at least is this node's own.
TEST_F(SharedRobotsTest, AFailedRequestIsSeenHereBeforeAHostIsUnreachable) {
  for (int i = 0; i < options_.attempts_max - 1; ++i) TellError(page_, fetch::Error::kConnect);
  const std::string most = Rows();
  GoToOtherNode();
  Absorb(most);
  Absorb(most);
  EXPECT_NE(Wanted(page_), "");
  TellStatus(page_, 404);
  EXPECT_TRUE(Allowed(page_));
}

// A peer filled the memory with origins that it said had failed.
TEST_F(SharedRobotsTest, FailedRequestsOfAnyNumberOfOriginsAreBounded) {
  options_.remembered_max = 10;
  Restart();
  std::vector<std::string> told;
  for (int i = 0; i < 50; ++i) {
    const std::string host = "h" + std::to_string(i) + ".test";
    TellError("http://" + host + "/", fetch::Error::kConnect);
    EXPECT_LE(cache_->failing(), 10u);
    EXPECT_LE(cache_->remembered(), 11u);
    told.push_back(Rows(host));
    EXPECT_NE(told.back(), "") << "the latest is counted";
  }
  GoToOtherNode();
  for (int i = 0; i < 50; ++i) Absorb(told[i], "h" + std::to_string(i) + ".test");
  EXPECT_EQ(cache_->failing(), 10u);
  EXPECT_EQ(cache_->remembered(), 0u) << "nobody here has asked for one";
  EXPECT_EQ(Rows("h3.test"), told[3]) << "those that came first are kept";
  EXPECT_EQ(Rows("h30.test"), "");
}

// Cut anywhere, or with any byte changed: nothing is made of it that would stop a lookup.
TEST_F(SharedRobotsTest, DamagedRowsAreHarmless) {
  TellStatus(page_, 200, "User-agent: *\nDisallow: /private");
  TellError("http://a.test:8080/", fetch::Error::kConnect);
  const std::string rows = Rows();
  GoToOtherNode();
  for (size_t at = 0; at < rows.size(); ++at) {
    Absorb(rows.substr(0, at));
    std::string changed = rows;
    changed[at] ^= 0x55;
    Absorb(changed);
  }
  Absorb(rows);
  EXPECT_TRUE(cache_->Lookup(UrlOf(page_), now_).ok());
}

}  // namespace
}  // namespace opic::desk

#include "fetch/multi_loop.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"
#include "fetch/curl_handles.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

// A request that libcurl gives up after kPatience.
class MultiLoopTest : public testing::Test {
 protected:
  static constexpr absl::Duration kPatience = absl::Milliseconds(300);

  void SetUp() override {
    auto loop = MultiLoop::Create();
    ASSERT_TRUE(loop.ok()) << loop.status();
    loop_ = *std::move(loop);
    Set(easy_.get(), CURLOPT_URL, server_.Url("/").c_str());
    Set(easy_.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(absl::ToInt64Milliseconds(kPatience)));
    begun_ = base::RealClock::Get().Steady();
    ASSERT_TRUE(loop_->Add(easy_.get()));
  }
  void TearDown() override { loop_->Remove(easy_.get()); }

  absl::Duration Since() const { return base::RealClock::Get().Steady() - begun_; }
  void RunOnce() {
    ++rounds_;
    loop_->RunOnce(
        [this](CURL*, CURLcode code) {
          ended_ = true;
          EXPECT_EQ(code, CURLE_OPERATION_TIMEDOUT);
          EXPECT_GE(Since(), kPatience);
        },
        [] {});
  }

  support::HttpServer server_{[](const support::HttpRequest&) {
    return support::HttpReply{.bytes = "", .then = support::HttpReply::Then::kSilence};
  }};
  std::unique_ptr<MultiLoop> loop_;
  const EasyHandle easy_{curl_easy_init()};
  absl::Time begun_;
  bool ended_ = false;
  int rounds_ = 0;
};

// Within the last millisecond, too: asked over and over it would be a thousand rounds.
TEST_F(MultiLoopTest, ItSleepsUntilTimeIsUp) {
  while (!ended_) RunOnce();
  EXPECT_LE(rounds_, 50);
}

TEST_F(MultiLoopTest, TimeIsUpAlsoWhenThereIsAlwaysSomethingToDo) {
  while (!ended_ && Since() < absl::Seconds(20)) {
    loop_->Wake();
    RunOnce();
  }
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace opic::fetch

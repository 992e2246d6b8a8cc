// Streams of answers over HTTP.
#include <thread>

#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "tests/gateway/served_gateway.h"
#include "tests/support/process.h"

namespace opic::gateway {
namespace {

using support::Curl;
using support::CurlResponse;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(GatewayTest, AStreamIsALineAMessage) {
  Serve({{kReader, rpc::Role::kReader}});
  const std::string question = R"({"urls":["http://a/"],"period":"0.1s"})";
  const std::vector<std::string> headers = {"Authorization: Bearer " + kReader,
                                            "Connect-Timeout-Ms: 1000"};
  const CurlResponse response = Ask(kWatch, question, headers);
  EXPECT_EQ(response.status, 200) << response.error << response.body;
  EXPECT_EQ(response.headers.at("content-type"), "application/x-ndjson");
  const std::vector<std::string> lines = absl::StrSplit(response.body, '\n');
  ASSERT_GE(lines.size(), 3u) << response.body;
  EXPECT_THAT(lines[0], AllOf(HasSubstr(R"("complete":true)"), HasSubstr(R"("url":"http://a/")")));
  EXPECT_THAT(lines[lines.size() - 2], HasSubstr(R"({"error":{"code":"deadline_exceeded")"));
  EXPECT_EQ(lines.back(), "");
  // What is wrong from the beginning is an ordinary error.
  ExpectError(Ask(kWatch, R"({"count":501})", headers), 400, "invalid_argument");
  ExpectError(Ask(kWatch, "[]", headers), 400, "invalid_argument");
  ExpectError(Ask(kWatch, question), 403, "permission_denied");
}

// 16 may watch at a time: whoever has gone is one of them no more.
TEST_F(GatewayTest, WatchersThatGoMakeRoom) {
  Serve();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(support::Eventually(absl::Seconds(20), [&] {
      const CurlResponse response =
          Curl({.url = Url(kWatch), .body = R"({"count":1})", .patience = absl::Milliseconds(300)});
      return absl::StrContains(response.body, R"("complete":true)");
    })) << i;
  }
}

TEST_F(GatewayTest, ItStopsWhileOneWatches) {
  Serve();
  CurlResponse response;
  absl::Notification watching;
  std::thread watcher([&, url = Url(kWatch)] {
    response = Curl({.url = url, .body = R"({"count":1})", .on_body = [&] {
                       if (!watching.HasBeenNotified()) watching.Notify();
                     }});
  });
  watching.WaitForNotification();
  gateway_.reset();
  watcher.join();
  EXPECT_THAT(response.body, HasSubstr(R"("complete":true)"));
}

}  // namespace
}  // namespace opic::gateway

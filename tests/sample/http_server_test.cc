#include "sample/http_server.h"

#include <deque>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"
#include "tests/sample/http_client.h"

namespace opic::sample {
namespace {

// The symptom: now and then a crawl of the sample web stood still for 20 s, because the server had
// been told of 128 requests at once and waited for more.
TEST(HttpServerTest, AnswersHoweverManyRequestsWaitAtOnce) {
  constexpr size_t kTheLibraryReadsAtOnce = 128;
  absl::Notification held, let_go;
  const auto server = HttpServer::Start(
      "127.0.0.1", 0,
      [&](const Request& request) {
        if (request.target == "/hold") {
          held.Notify();
          let_go.WaitForNotification();
        }
        return Answer{.status = 200};
      },
      [](Hit) {});
  ASSERT_TRUE(server.ok()) << server.status();
  HttpClient first((*server)->port());
  std::deque<HttpClient> others;
  for (size_t i = 0; i < kTheLibraryReadsAtOnce; ++i) {
    EXPECT_EQ(others.emplace_back((*server)->port()).Get("a.test", "/").status, 200);
  }
  first.Ask("GET", "a.test", "/hold");
  held.WaitForNotification();
  for (HttpClient& other : others) other.Ask("GET", "a.test", "/");
  let_go.Notify();
  EXPECT_EQ(first.Answer().status, 200);
  for (HttpClient& other : others) ASSERT_EQ(other.Answer().status, 200);
}

}  // namespace
}  // namespace opic::sample

#include "http_status/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opic::http_status {
namespace {

using http::Answer;
using http::Request;
using testing::HasSubstr;

const Request::Fields kAcceptsJson = {{"accept", "application/json"}};

class PagesTest : public testing::Test {
 protected:
  Answer Ask(const std::string& path, const Request::Fields& headers = {},
             const Request::Fields& arguments = {}) const {
    return AnswerTo({.method = "GET", .path = path, .arguments = arguments, .headers = headers},
                    board_);
  }
  void Turn(std::vector<Reason> not_ready = {}) {
    if (board_.Beat())
      board_.Tell({.metrics = "opic_pages 7\n", .not_ready = std::move(not_ready)});
  }

  base::ManualClock clock_;
  Board board_{clock_};
};

// A long recovery is no reason to restart it.
TEST_F(PagesTest, WhileItStartsItIsAliveAndNotReady) {
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(Ask("/livez").status, 200);
  EXPECT_EQ(Ask("/readyz").status, 503);
  EXPECT_THAT(Ask("/readyz").body, HasSubstr("starting: "));
  EXPECT_EQ(Ask("/metrics").status, 200);
  EXPECT_THAT(Ask("/metrics").body, HasSubstr("\nopic_ready 0\n"));
}

TEST_F(PagesTest, AProgramThatIsWell) {
  Turn();
  EXPECT_EQ(Ask("/livez").body, "ok\n");
  EXPECT_EQ(Ask("/readyz").status, 200);
  EXPECT_EQ(Ask("/readyz").body, "ok\n");
  EXPECT_EQ(Ask("/readyz", kAcceptsJson).body, "{\"ready\":true,\"reasons\":[]}\n");
  const Answer metrics = Ask("/metrics");
  EXPECT_EQ(metrics.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(metrics.body.rfind("opic_pages 7\n", 0), 0u);
  EXPECT_THAT(metrics.body, HasSubstr("\n# TYPE opic_ready gauge\nopic_ready 1\n"));
}

TEST_F(PagesTest, OpenMetricsForWhoAsks) {
  board_.Beat();
  board_.Tell({.metrics = "# HELP opic_requests_total Requests for pages.\n"
                          "# TYPE opic_requests_total counter\nopic_requests_total 5\n"
                          "# HELP opic_pages Known pages_total or so.\n"
                          "# TYPE opic_pages gauge\nopic_pages 7\n"});
  // As Prometheus asks.
  const Answer answer =
      Ask("/metrics", {{"Accept",
                        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                        "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"}});
  EXPECT_EQ(answer.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_EQ(answer.body,
            "# HELP opic_requests Requests for pages.\n"
            "# TYPE opic_requests counter\nopic_requests_total 5\n"
            "# HELP opic_pages Known pages_total or so.\n"
            "# TYPE opic_pages gauge\nopic_pages 7\n"
            "# HELP opic_ready 1 while /readyz answers with 200.\n"
            "# TYPE opic_ready gauge\nopic_ready 1\n# EOF\n");
}

TEST_F(PagesTest, JsonIsAskedForByArgumentOrHeader) {
  Turn();
  EXPECT_EQ(Ask("/readyz", {}, {{"json", ""}}).content_type, "application/json");
  EXPECT_EQ(Ask("/readyz", {}, {{"verbose", "1"}, {"json", "1"}}).content_type, "application/json");
  EXPECT_EQ(Ask("/readyz", kAcceptsJson).content_type, "application/json");
  EXPECT_EQ(Ask("/readyz", {{"Accept", "text/html"}}).body, "ok\n");
}

TEST_F(PagesTest, AllReasonsAreReported) {
  Turn({{"paused", "an operator has paused it"}, {"channel_stopped", "to \"b\""}});
  EXPECT_EQ(Ask("/livez").status, 200);
  EXPECT_EQ(Ask("/readyz").status, 503);
  EXPECT_EQ(Ask("/readyz").body,
            "not ready\npaused: an operator has paused it\nchannel_stopped: to \"b\"\n");
  const Answer json = Ask("/readyz", kAcceptsJson);
  EXPECT_EQ(json.status, 503);
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_EQ(json.body,
            "{\"ready\":false,\"reasons\":[{\"code\":\"paused\",\"sentence\":\"an operator has "
            "paused it\"},{\"code\":\"channel_stopped\",\"sentence\":\"to \\\"b\\\"\"}]}\n");
}

TEST_F(PagesTest, ReportsComeOnceASecond) {
  Turn();
  EXPECT_FALSE(board_.Beat());
  clock_.Advance(Board::kReportEvery);
  EXPECT_TRUE(board_.Beat());
}

TEST_F(PagesTest, AMainLoopThatHangsIsDead) {
  Turn();
  clock_.Advance(Board::kSilenceMax);
  EXPECT_EQ(Ask("/livez").status, 200);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Ask("/livez").status, 503);
  EXPECT_THAT(Ask("/livez").body, HasSubstr("main_loop_silent: "));
  EXPECT_THAT(Ask("/readyz").body, HasSubstr("main_loop_silent: "));
  EXPECT_EQ(Ask("/metrics").status, 200);
  Turn();
  EXPECT_EQ(Ask("/livez").status, 200);
}

// Killing it would only make the next start longer.
TEST_F(PagesTest, WhileItStopsItIsAlive) {
  Turn();
  board_.Rest({"stopping", "it is stopping"});
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(Ask("/livez").status, 200);
  EXPECT_EQ(Ask("/readyz").body, "not ready\nstopping: it is stopping\n");
  EXPECT_THAT(Ask("/metrics").body, HasSubstr("opic_pages 7\n"));
}

TEST_F(PagesTest, OnlyReading) {
  Turn();
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", "X"}) {
    const Answer answer = AnswerTo({.method = method, .path = "/metrics"}, board_);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.allow, "GET, HEAD");
  }
  EXPECT_EQ(AnswerTo({.method = "HEAD", .path = "/livez"}, board_).status, 200);
}

TEST_F(PagesTest, NoOtherPages) {
  for (const char* path : {"/", "", "/metrics/", "/metrics/../livez", "/LIVEZ", "/healthz"})
    EXPECT_EQ(Ask(path).status, 404) << path;
}

}  // namespace
}  // namespace opic::http_status

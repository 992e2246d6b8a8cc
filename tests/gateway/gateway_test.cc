// Questions over HTTP to the services of a scripted node, by libcurl.
#include "gateway/gateway.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/grpcpp.h>

#include <set>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "google/rpc/error_details.pb.h"
#include "opic/v1/audit.pb.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/export.pb.h"
#include "opic/v1/importance.pb.h"
#include "tests/gateway/served_gateway.h"

namespace opic::gateway {
namespace {

using support::Curl;
using support::CurlRequest;
using support::CurlResponse;
using support::PercentEncoded;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(GatewayTest, AQuestionAndItsAnswer) {
  Serve();
  const CurlResponse response = Ask(kGet, R"({"url": "http://a/", "localOnly": true})");
  EXPECT_EQ(response.status, 200) << response.error;
  EXPECT_EQ(response.headers.at("content-type"), "application/json");
  EXPECT_EQ(response.headers.at("cache-control"), "no-store");
  EXPECT_EQ(response.headers.count("access-control-allow-origin"), 0u);
  EXPECT_THAT(response.body,
              AllOf(HasSubstr(R"("url":"http://a/")"), HasSubstr(R"("known":true)"),
                    HasSubstr(R"("importance":0.125)"), HasSubstr(R"("httpStatus":200)"),
                    HasSubstr(R"("publications":["every 1h","now"])")));
  // 64 bits are strings; what has its default is there, too.
  EXPECT_THAT(response.body, AllOf(HasSubstr(R"("cash":"99")"), HasSubstr(R"("failure":"")")));
  // Names as in proto/ do as well, and values of enums.
  EXPECT_EQ(
      Ask(kTop, R"({"count":1,"local_only":true,"filter":{"state":"PAGE_STATE_FETCHED"}})").status,
      200);
  EXPECT_EQ(node_.filter_.state, "fetched");
}

TEST_F(GatewayTest, ByGet) {
  Serve();
  const std::string question = R"({"url":"http://a/?b=c+d&e"})";
  const std::string expected = R"("url":"http://a/?b=c+d&e")";
  CurlResponse response = GetBy(kGet, "encoding=json&message=" + PercentEncoded(question));
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(response.body, HasSubstr(expected));
  response = GetBy(
      kGet, "connect=v1&base64=1&encoding=json&message=" + absl::WebSafeBase64Escape(question));
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(response.body, HasSubstr(expected));
  ExpectError(GetBy(kGet, ""), 400, "invalid_argument", "encoding=json");
  ExpectError(GetBy(kGet, "message=%7B%7D"), 415, "unknown");
  ExpectError(GetBy(kGet, "message=%7B%7D&encoding=proto"), 415, "unknown");
  ExpectError(GetBy(kGet, "message=%7B%7D&encoding=json&compression=gzip"), 501, "unimplemented");
  ExpectError(GetBy(kGet, "message=%7B%7D&encoding=json&connect=v2"), 400, "invalid_argument");
  ExpectError(GetBy(kGet, "message=%25&encoding=json&base64=1"), 400, "invalid_argument");
  EXPECT_EQ(GetBy(kGet, "encoding=json&message=" + std::string(20'000, 'x')).status, 414);
}

// What the services say, with the status of its code.
TEST_F(GatewayTest, Errors) {
  Serve();
  ExpectError(Ask(kGet, R"({"url":"nonsense"})"), 400, "invalid_argument",
              R"(\"nonsense\" is no URL)");
  ExpectError(Ask(kTop, R"({"count":100001})"), 400, "invalid_argument", "count: 100001");
  ExpectError(Ask("opic.v1.Control/Shards", "{}"), 501, "unimplemented", "in no cluster");
  ExpectError(Ask("opic.v1.PageScheduler/Status", "{}"), 501, "unimplemented", "no such service");
}

TEST_F(GatewayTest, WhatIsNoQuestionIsRefused) {
  Serve();
  for (const std::string& json : {std::string(),
                                  std::string(" \n"),
                                  std::string("{"),
                                  std::string("}"),
                                  std::string("[]"),
                                  std::string("null"),
                                  std::string("NaN"),
                                  std::string("\"url\""),
                                  std::string("{\"url\":"),
                                  std::string("{\"url\":1}"),
                                  std::string("{\"url\":NaN}"),
                                  std::string("{\"urls\":\"a\"}"),
                                  std::string("{\"url\":\"a\"}{}"),
                                  std::string("{\"url\":\"a\"} x"),
                                  std::string("{\"url\":[\"a\"]}"),
                                  std::string("{\"url\":{\"url\":\"a\"}}"),
                                  std::string("{\"url\":\"\xff\xfe\"}"),
                                  std::string("{\"localOnly\":\"perhaps\"}"),
                                  std::string(100'000, '['),
                                  "{\"url\":" + std::string(100'000, '['),
                                  "{\"url\":" + std::string(1'000'000, '{'),
                                  std::string(3'000'000, '\0')}) {
    ExpectError(Ask(kGet, json), 400, "invalid_argument");
  }
  for (const char* count : {"-1", "1.5", "4294967296", "1e99", "NaN", "Infinity", "\"x\""})
    ExpectError(Ask(kTop, absl::StrCat("{\"count\":", count, "}")), 400, "invalid_argument");
  EXPECT_EQ(node_.tops_, 0);
  EXPECT_EQ(Ask(kGet, R"({"url":"http://a/"})").status, 200);
}

TEST_F(GatewayTest, LongQuestionsAreRefused) {
  Serve();
  ExpectError(Ask(kGet, "{\"url\":\"" + std::string(4 << 20, 'u') + "\"}"), 413,
              "resource_exhausted", "too long");
  std::string empty = "{\"urls\":[\"\"";
  for (int i = 0; i < 1'000'000; ++i) empty += ",\"\"";
  ExpectError(Ask("opic.v1.Importance/BatchGet", empty + "]}"), 429, "resource_exhausted");
  EXPECT_EQ(Ask(kGet, R"({"url":"http://a/"})").status, 200);
}

// A refusal says what is wrong with a question, and not the whole of it.
TEST_F(GatewayTest, RefusalsOfLongQuestionsAreShort) {
  Serve();
  const std::string no_kind = "{\"kind\":\"" + std::string(100'000, 'k') + "\"}";
  const CurlResponse refused = Ask("opic.v1.Importance/Sites", no_kind);
  ExpectError(refused, 400, "invalid_argument", "kkk");
  EXPECT_LT(refused.body.size(), 2'000u);
}

// As many pages as it may ask for would be 60 MB.
TEST_F(GatewayTest, LongAnswersAreRefused) {
  Serve();
  ExpectError(Ask(kTop, R"({"count":100000,"reply_bytes_max":60000000})"), 429,
              "resource_exhausted");
  const CurlResponse fits = Ask(kTop, R"({"count":100000})");
  EXPECT_EQ(fits.status, 200);
  EXPECT_GT(fits.body.size(), 3'000'000u);
  EXPECT_THAT(fits.body, HasSubstr("\"nextPageToken\":\""));
}

TEST_F(GatewayTest, OtherPathsMethodsAndTypes) {
  Serve();
  for (const char* path :
       {"", "opic.v1.Importance", "opic.v1.Importance/", "opic.v1.Importance/get",
        "opic.v1.Importance/Get/", "grpc.health.v1.Health/Check", "opic.v1.Peers/Channel",
        "opic.v1.PageScheduler/Session", "opic.v1.Control/Status", "%00"})
    ExpectError(Ask(path, "{}"), 404, "unimplemented");
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH"}) {
    const CurlResponse response = GetBy(kGet, "", method);
    ExpectError(response, 405, "unknown");
    EXPECT_EQ(response.headers.at("allow"), "GET, POST");
  }
  EXPECT_EQ(GetBy(kGet, "", "HEAD").status, 405);
  // An audit is noted in the ledger, and a cut of an export is held for its client.
  for (const char* call : {"opic.v1.Audit/Take", "opic.v1.Export/Read"}) {
    const CurlResponse response = GetBy(call, "encoding=json&message=%7B%7D");
    ExpectError(response, 405, "unknown");
    EXPECT_EQ(response.headers.at("allow"), "POST");
  }
  for (const char* type : {"application/proto", "text/plain", "application/jsonx", "",
                           "application/x-www-form-urlencoded", "multipart/form-data"}) {
    ExpectError(Curl({.url = Url(kGet),
                      .body = "{}",
                      .headers = {absl::StrCat("Content-Type:", *type == 0 ? "" : " ", type)}}),
                415, "unknown", "application/json");
  }
  EXPECT_EQ(Curl({.url = Url(kGet),
                  .body = R"({"url":"http://a/"})",
                  .headers = {"content-type: Application/JSON ; charset=utf-8"}})
                .status,
            200);
  ExpectError(Ask(kGet, "{}", {"Content-Encoding: gzip"}), 501, "unimplemented");
  ExpectError(Ask(kGet, "{}", {"Connect-Protocol-Version: 2"}), 400, "invalid_argument");
  EXPECT_EQ(Ask(kGet, R"({"url":"http://a/"})", {"Connect-Protocol-Version: 1"}).status, 200);
}

// Every call that there is, by whoever has the highest role.
TEST_F(GatewayTest, OnlyQuestionsAreTaken) {
  const std::set<std::string> questions = {
      "Importance/Get",        "Importance/BatchGet",      "Importance/Top", "Importance/Sites",
      "Importance/ExplainUrl", "Control/Shards",           "Audit/Take",     "Control/CrawlOrder",
      "Control/WhenDue",       "Control/ListPublications", "Export/Read",    "Control/GetStatus"};
  Serve({{kOperator, rpc::Role::kOperator}});
  size_t refused = 0;
  for (const google::protobuf::FileDescriptor* file :
       {v1::TopRequest::descriptor()->file(), v1::GetStatusRequest::descriptor()->file(),
        v1::TakeRequest::descriptor()->file(), v1::ReadRequest::descriptor()->file()}) {
    const google::protobuf::ServiceDescriptor* service = file->service(0);
    for (int m = 0; m < service->method_count(); ++m) {
      if (service->method(m)->server_streaming()) continue;  // see the tests of streams
      const std::string call = absl::StrCat(service->name(), "/", service->method(m)->name());
      const CurlResponse response =
          Ask("opic.v1." + call, "{}", {"Authorization: Bearer " + kOperator});
      if (questions.contains(call)) {
        EXPECT_NE(response.status, 403) << call;
      } else {
        ExpectError(response, 403, "permission_denied", "not accepted here");
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 15u);
  EXPECT_FALSE(node_.paused_);
  EXPECT_FALSE(node_.stopped_);
}

// Without certificates and tokens everybody on the machine may do everything; not so here.
TEST_F(GatewayTest, NobodySteersWithoutATokenEither) {
  Serve();
  ExpectError(Ask("opic.v1.Control/Pause", R"({"paused":true})"), 403, "permission_denied");
  ExpectError(Ask("opic.v1.Control/Stop", "{}"), 403, "permission_denied");
  ExpectError(Ask("opic.v1.Control/AddSeeds", R"({"urls":["http://a/"]})"), 403,
              "permission_denied");
  EXPECT_TRUE(node_.seeds_.empty());
}

TEST_F(GatewayTest, TokensAreAskedFor) {
  Serve({{kReader, rpc::Role::kReader}});
  const std::string question = R"({"url":"http://a/"})";
  ExpectError(Ask(kGet, question), 403, "permission_denied", "needs the role reader");
  for (const std::string& shown :
       {"Bearer " + kReader + "x", "Bearer " + kReader.substr(1), "bearer " + kReader,
        "Basic " + kReader, kReader, std::string("Bearer"), "Bearer  " + kReader})
    ExpectError(Ask(kGet, question, {"Authorization: " + shown}), 403, "permission_denied");
  ExpectError(Ask(kGet, question, {"Authorization: Bearer \xc3\xa4"}), 403, "permission_denied");
  EXPECT_EQ(Ask(kGet, question, {"Authorization: Bearer " + kReader}).status, 200);
  // Whoever has a token may come from anywhere, by any name.
  EXPECT_EQ(Ask(kGet, question,
                {"Authorization: Bearer " + kReader, "Host: ranks.example",
                 "Origin: https://dashboard.example"})
                .status,
            200);
}

// Who has no token does not make the node parse megabytes: what is no JSON is not found out.
TEST_F(GatewayTest, TheTokenIsLookedAtFirst) {
  Serve({{kReader, rpc::Role::kReader}});
  ExpectError(Ask(kGet, "no JSON"), 403, "permission_denied", "needs the role reader");
  ExpectError(Ask(kGet, "no JSON", {"Authorization: Bearer " + kReader}), 400, "invalid_argument");
}

// For programs: as google.rpc.ErrorInfo, encoded and to be read.
TEST_F(GatewayTest, ErrorsHaveReasons) {
  Serve({{kReader, rpc::Role::kReader}});
  const std::string refused = Ask(kGet, "{}").body;
  EXPECT_THAT(refused, HasSubstr(R"(,"details":[{"type":"google.rpc.ErrorInfo","value":")"));
  EXPECT_THAT(
      refused,
      HasSubstr(R"("debug":{"reason":"ROLE_NEEDED","domain":"opic","metadata":{"needed":"reader",)"
                R"("role":"stranger"}}}]})"));
  const size_t begin = refused.find("\"value\":\"") + 9;
  std::string bytes;
  ASSERT_TRUE(
      absl::Base64Unescape(refused.substr(begin, refused.find('"', begin) - begin), &bytes));
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(info.ParseFromString(bytes));
  EXPECT_EQ(info.reason(), "ROLE_NEEDED");
  EXPECT_EQ(info.metadata().at("needed"), "reader");
  // Without a reason of its own, the name of the code.
  EXPECT_THAT(Ask(kGet, "[]", {"Authorization: Bearer " + kReader}).body,
              HasSubstr(R"({"reason":"INVALID_ARGUMENT","domain":"opic","metadata":{}})"));
}

TEST_F(GatewayTest, PagesOfOthersMayNotAsk) {
  Serve();
  const std::string question = R"({"url":"http://a/"})";
  for (const char* header :
       {"Host: evil.example", "Host: evil.example:80", "Host: 127.0.0.1.evil.example",
        "Host: localhost.evil.example", "Host: [::1", "Host: node-a.evil", "Host;",
        "Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:1",
        "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"}) {
    const CurlResponse response = Ask(kGet, question, {header});
    EXPECT_EQ(response.headers.count("access-control-allow-origin"), 0u);
    if (std::string(header) == "Host;") {
      EXPECT_EQ(response.status, 403);
      continue;
    }
    ExpectError(response, 403, "permission_denied");
  }
  const std::string own = gateway_->address().ToText();
  for (const std::string& header :
       {std::string("Host: localhost"), std::string("Host: LOCALHOST:8080"),
        std::string("Host: 192.0.2.1:80"), std::string("Host: [2001:db8::1]:80"),
        std::string("Host: Node-A:80"), "Origin: http://" + own,
        std::string("Sec-Fetch-Site: same-origin"), std::string("Sec-Fetch-Site: none")})
    EXPECT_EQ(Ask(kGet, question, {header}).status, 200) << header;
}

TEST_F(GatewayTest, ACallHasItsTime) {
  absl::Notification hold;
  node_.hold = &hold;
  Serve();
  ExpectError(Ask("opic.v1.Control/GetStatus", "{}", {"Connect-Timeout-Ms: 50"}), 504,
              "deadline_exceeded");
  hold.Notify();
  for (const char* wrong : {"x", "-1", "1.5", "", "12345678901"}) {
    ExpectError(
        Ask(kGet, "{}", {absl::StrCat("Connect-Timeout-Ms:", *wrong == 0 ? ";" : " ", wrong)}), 400,
        "invalid_argument");
  }
  EXPECT_EQ(Ask("opic.v1.Control/GetStatus", "{}", {"Connect-Timeout-Ms: 9999999999"}).status, 200);
}

// A walk of all pages that nobody waits for any more ends.
TEST_F(GatewayTest, WhoGoesIsNotAnswered) {
  absl::Notification given_up;
  node_.walks_ = [&](const node::GivenUp& gone) {
    while (!gone()) std::this_thread::yield();
    given_up.Notify();
    return false;
  };
  Serve();
  const CurlResponse cut =
      Curl({.url = Url(kTop), .body = "{}", .patience = absl::Milliseconds(300)});
  EXPECT_EQ(cut.status, 0);
  given_up.WaitForNotification();
  EXPECT_EQ(Ask(kGet, R"({"url":"http://a/"})").status, 200);
}

TEST_F(GatewayTest, ItStopsWhileOneAsks) {
  absl::Notification begun;
  node_.walks_ = [&](const node::GivenUp& gone) {
    begun.Notify();
    while (!gone()) std::this_thread::yield();
    return false;
  };
  Serve();
  CurlResponse response;
  std::thread client([&, url = Url(kTop)] { response = Curl({.url = url, .body = "{}"}); });
  begun.WaitForNotification();
  services_->Stop();
  client.join();
  ExpectError(response, 503, "unavailable", "the node is stopping");
  ExpectError(Ask(kGet, "{}"), 503, "unavailable", "the node is stopping");
}

TEST_F(GatewayTest, AnswersAreCountedByCode) {
  Serve();
  Ask(kGet, R"({"url":"http://a/"})");
  Ask(kGet, R"({"url":"http://b/"})");
  Ask(kGet, R"({"url":"nonsense"})");
  Ask("nowhere", "{}");
  EXPECT_THAT(gateway_->Metrics(),
              AllOf(HasSubstr("# TYPE opic_http_questions_total counter\n"),
                    HasSubstr("opic_http_questions_total{code=\"ok\"} 2\n"),
                    HasSubstr("opic_http_questions_total{code=\"invalid_argument\"} 1\n"),
                    HasSubstr("opic_http_questions_total{code=\"unimplemented\"} 1\n")));
}

}  // namespace
}  // namespace opic::gateway

// Requests with bodies, and answers that come later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "http/server.h"
#include "tests/http/raw_client.h"

namespace opic::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string Post(const std::string& body, const std::string& more_lines = "") {
  return absl::StrCat("POST /ask HTTP/1.1\r\nHost: here\r\n", more_lines,
                      "Content-Length: ", body.size(), "\r\n\r\n", body);
}

// What came in, kept until the test answers it.
struct Asked {
  Request request;
  std::shared_ptr<Waiting> waiting;
  std::shared_ptr<absl::Notification> gone = std::make_shared<absl::Notification>();

  void Answer(const std::string& body) const {
    waiting->Answer([body](bool room) { return http::Answer{.body = room ? body : "no room"}; });
  }
};

class WaitingTest : public testing::Test {
 protected:
  ~WaitingTest() override {
    for (const Asked& asked : TakeAll()) asked.Answer("late");
  }
  uint16_t Serve(const Limits& limits) {
    auto server = Server::Start(
        *ParseAddress("127.0.0.1:0"),
        [this](Request request, std::shared_ptr<Waiting> waiting) {
          Asked asked{std::move(request), std::move(waiting)};
          asked.waiting->WhenGone([gone = asked.gone] { gone->Notify(); });
          const absl::MutexLock lock(&mu_);
          asked_.push_back(std::move(asked));
        },
        base::RealClock::Get(), ServerOptions{.limits = limits});
    if (!server.ok()) {
      ADD_FAILURE() << server.status();
      return 0;
    }
    server_ = *std::move(server);
    return server_->address().port;
  }
  // Waits for the next request.
  Asked Next() {
    const absl::MutexLock lock(&mu_);
    mu_.Await(absl::Condition(
        +[](std::vector<Asked>* asked) { return !asked->empty(); }, &asked_));
    Asked next = std::move(asked_.front());
    asked_.erase(asked_.begin());
    return next;
  }
  std::vector<Asked> TakeAll() {
    const absl::MutexLock lock(&mu_);
    return std::move(asked_);
  }

  absl::Mutex mu_;
  std::vector<Asked> asked_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<Server> server_;
};

TEST_F(WaitingTest, ARequestComesWhole) {
  const uint16_t port = Serve({.body_bytes_max = 1'000'000});
  const std::string body(300'000, 'b');
  const RawClient client(port);
  client.Send(absl::StrCat("POST /a%20b?x=1&y=%7B%22u%22%3A+1%7D HTTP/1.1\r\nHost: here\r\n",
                           "X-Two: a\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
  const Asked asked = Next();
  EXPECT_EQ(asked.request.method, "POST");
  EXPECT_EQ(asked.request.path, "/a b");
  EXPECT_EQ(*asked.request.Argument("x"), "1");
  EXPECT_EQ(*asked.request.Argument("y"), "{\"u\": 1}");
  EXPECT_EQ(asked.request.Argument("z"), nullptr);
  EXPECT_EQ(*asked.request.Header("x-two"), "a");
  EXPECT_EQ(asked.request.Header("X-Three"), nullptr);
  EXPECT_EQ(asked.request.body, body);
  asked.Answer("heard\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("\r\n\r\nheard\n"));
}

TEST_F(WaitingTest, OthersAreServedWhileOneWaits) {
  const uint16_t port = Serve({.body_bytes_max = 100});
  const RawClient first(port), second(port);
  first.Send(Post("1"));
  const Asked slow = Next();
  second.Send(Post("2"));
  Next().Answer("two\n");
  EXPECT_THAT(second.ReadToEnd(), EndsWith("two\n"));
  EXPECT_FALSE(first.ended());
  slow.Answer("one\n");
  EXPECT_THAT(first.ReadToEnd(), EndsWith("one\n"));
}

// The time of a connection does not run while it waits.
TEST_F(WaitingTest, AnAnswerMayTakeLongerThanItsConnectionMayOtherwiseLast) {
  const uint16_t port =
      Serve({.connection_time_max = absl::Milliseconds(200), .body_bytes_max = 100});
  const RawClient patient(port);
  patient.Send(Post("1"));
  const Asked asked = Next();
  const RawClient silent(port);
  silent.Send("POST /ask HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(silent.ReadToEnd(), "");
  asked.Answer("at last\n");
  EXPECT_THAT(patient.ReadToEnd(), EndsWith("at last\n"));
}

TEST_F(WaitingTest, WhoGoesIsGivenUp) {
  const uint16_t port = Serve({.body_bytes_max = 100});
  auto client = std::make_unique<RawClient>(port);
  client->Send(Post("1"));
  const Asked asked = Next();
  EXPECT_FALSE(asked.gone->HasBeenNotified());
  client.reset();
  asked.gone->WaitForNotification();
  asked.Answer("to nobody");
}

TEST_F(WaitingTest, AStopGivesUpWhatWaits) {
  const RawClient client(Serve({.body_bytes_max = 100}));
  client.Send(Post("1"));
  const Asked asked = Next();
  std::thread stopping([this] { server_.reset(); });
  asked.gone->WaitForNotification();
  asked.Answer("too late");
  stopping.join();
  client.ReadToEnd();
}

TEST_F(WaitingTest, TooLongABodyIsNotKept) {
  const uint16_t port = Serve({.body_bytes_max = 1000});
  const RawClient told(port), chunks(port), fits(port);
  told.Send("POST /ask HTTP/1.1\r\nHost: here\r\nContent-Length: 1001\r\n\r\n");
  const Asked by_header = Next();
  EXPECT_EQ(by_header.request.unread, Unread::kTooLong);
  by_header.Answer("too long\n");
  EXPECT_THAT(told.ReadToEnd(), EndsWith("too long\n"));
  chunks.Send("POST /ask HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int chunk = 0; chunk < 50; ++chunk) chunks.Send("64\r\n" + std::string(100, 'c') + "\r\n");
  chunks.Send("0\r\n\r\n");
  const Asked by_chunks = Next();
  EXPECT_EQ(by_chunks.request.unread, Unread::kTooLong);
  EXPECT_EQ(by_chunks.request.body, "");
  by_chunks.Answer("");
  fits.Send(Post(std::string(1000, 'f')));
  const Asked whole = Next();
  EXPECT_EQ(whole.request.unread, Unread::kNo);
  EXPECT_EQ(whole.request.body.size(), 1000u);
  whole.Answer("");
}

// What is half there counts, too.
TEST_F(WaitingTest, WhatFindsNoRoomIsNotKept) {
  const uint16_t port = Serve({.body_bytes_max = 100'000, .held_bytes_max = 50'000});
  const RawClient half(port), other(port);
  half.Send("POST /ask HTTP/1.1\r\nHost: here\r\nContent-Length: 100000\r\n\r\n" +
            std::string(90'000, 'h'));
  Request last;
  do {  // until the server has read all of that
    const RawClient probe(port);
    probe.Send(Post("?"));
    const Asked asked = Next();
    last = asked.request;
    asked.Answer("long");
  } while (last.unread == Unread::kNo);
  EXPECT_EQ(last.unread, Unread::kNoRoom);
  other.Send("GET /ask HTTP/1.1\r\nHost: here\r\n\r\n");
  Next().Answer("long");
  EXPECT_THAT(other.ReadToEnd(), EndsWith("no room"));
  half.Send(std::string(10'000, 'h'));
  Next().Answer("");
}

// For a newer one, not who waits for an answer is cut.
TEST_F(WaitingTest, WhoWaitsIsNotCutForOthers) {
  const uint16_t port =
      Serve({.connections_max = 2, .per_address_max = 100, .body_bytes_max = 100});
  const RawClient first(port);
  first.Send(Post("1"));
  const Asked asked = Next();
  const RawClient second(port), third(port);
  EXPECT_EQ(second.ReadToEnd(), "");
  asked.Answer("still there\n");
  EXPECT_THAT(first.ReadToEnd(), EndsWith("still there\n"));
}

TEST_F(WaitingTest, ManyAtOnce) {
  const uint16_t port =
      Serve({.connections_max = 40, .per_address_max = 40, .body_bytes_max = 1000});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 30; ++i) {
    clients.push_back(std::make_unique<RawClient>(port));
    clients.back()->Send(Post(absl::StrCat("question ", i)));
  }
  std::vector<std::thread> answering;
  for (int i = 0; i < 30; ++i)
    answering.emplace_back([asked = Next()] { asked.Answer("answer to " + asked.request.body); });
  for (std::thread& thread : answering) thread.join();
  for (int i = 0; i < 30; ++i) {
    const std::string answer = clients[static_cast<size_t>(i)]->ReadToEnd();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr(absl::StrCat("\r\n\r\nanswer to question ", i)));
  }
}

}  // namespace
}  // namespace opic::http

// An order desk with a web server to ask, a store that knows some pages, and an ear for all that it
// says.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "desk/order_desk.h"
#include "tests/support/http_server.h"
#include "tests/support/memory_store.h"

namespace opic::desk {

using ledger::VisitKind;
using schedule::Result;
using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

// All that leaves the desk, in order.
class Heard final : public SchedulerLink {
 public:
  void Send(schedule::ToScheduler message) override {
    if (std::holds_alternative<schedule::Outcome>(message)) absl::SleepFor(outcomes_take_);
    absl::MutexLock lock(&mu_);
    if (auto* outcome = std::get_if<schedule::Outcome>(&message)) outcomes_.push_back(*outcome);
    if (auto* offers = std::get_if<schedule::Offers>(&message)) offers_.push_back(*offers);
    if (auto* hello = std::get_if<schedule::NodeHello>(&message))
      sessions_.push_back({std::move(hello->in_flight), outcomes_.size()});
  }
  // So that something may come between an outcome and what it is the outcome of. Before the first.
  void LetOutcomesTake(absl::Duration time) { outcomes_take_ = time; }
  // What was in flight when a session began, and how many outcomes came before it.
  struct Session {
    std::vector<schedule::InFlight> in_flight;
    size_t outcomes_before;
  };
  std::vector<Session> sessions() {
    absl::MutexLock lock(&mu_);
    return sessions_;
  }
  std::vector<schedule::Outcome> TakeOutcomes(size_t count) {
    absl::MutexLock lock(&mu_);
    const auto there = [&] { return outcomes_.size() >= count; };
    EXPECT_TRUE(mu_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(60)));
    return std::exchange(outcomes_, {});
  }
  void Report(desk::Report report) {
    absl::MutexLock lock(&mu_);
    reports_.push_back(std::move(report));
  }
  schedule::Outcome TakeOutcome() { return Take(outcomes_); }
  desk::Report TakeReport() { return Take(reports_); }
  schedule::Offers TakeOffers() { return Take(offers_); }
  size_t left() {
    absl::MutexLock lock(&mu_);
    return outcomes_.size() + reports_.size() + offers_.size();
  }

 private:
  template <typename T>
  T Take(std::vector<T>& list) {
    absl::MutexLock lock(&mu_);
    const auto there = [&] { return !list.empty(); };
    if (!mu_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(20))) {
      ADD_FAILURE() << "nothing came";
      return T();
    }
    T first = std::move(list.front());
    list.erase(list.begin());
    return first;
  }
  absl::Duration outcomes_take_ = absl::ZeroDuration();
  absl::Mutex mu_;
  std::vector<schedule::Outcome> outcomes_;
  std::vector<desk::Report> reports_;
  std::vector<schedule::Offers> offers_;
  std::vector<Session> sessions_;
};

class OrderDeskTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.fetch.allow_private = true;
    options_.fetch.connect_to = {"::127.0.0.1:" + std::to_string(server_.port())};
    options_.fetch.total_timeout = absl::Seconds(10);
    options_.fetch.body_bytes_max = 100'000;
    ::unlink(log_.c_str());
  }
  void TearDown() override {
    if (desk_) desk_->Stop();
    EXPECT_EQ(heard_.left(), 0u) << "more was said than was expected";
  }

  OrderDesk& desk() {
    if (desk_) return *desk_;
    auto desk =
        OrderDesk::Start(options_, window_, hash_, *store_, base::RealClock::Get(), log_, heard_,
                         [this](Report report) { heard_.Report(std::move(report)); });
    EXPECT_TRUE(desk.ok()) << desk.status();
    desk_ = *std::move(desk);
    return *desk_;
  }

  // The server's answers.
  void Serve(const std::string& target, HttpReply reply) {
    absl::MutexLock lock(&mu_);
    replies_[target] = std::move(reply);
  }
  void ServeRobots(const std::string& text) { Serve("/robots.txt", support::Ok(text)); }
  // Robots rules that are known already: no request for them.
  void KnowRobots(const std::string& text = "") {
    RobotsCache cache({}, *store_);
    fetch::Response response;
    response.status = 200;
    response.body = text;
    const url::Url page = *url::Parse(kPage);
    ASSERT_TRUE(
        cache.Answered(page, *url::Parse("http://a.test/robots.txt"), response, absl::Now()).ok());
  }

  PageId Id(const std::string& url) const { return hash_.PageOf(*url::Parse(url)); }
  // A page that the ledger knows.
  schedule::Order OrderOf(const std::string& url) {
    store::Batch batch;
    batch.Put(store::Table::kPage, ledger::KeyOf(Id(url)), ledger::Encode(ledger::PageRow{url}));
    EXPECT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
    return {Id(url)};
  }
  schedule::Outcome OutcomeOf(const schedule::Order& order) {
    desk().Take({order});
    schedule::Outcome outcome = heard_.TakeOutcome();
    EXPECT_EQ(outcome.page, order.page);
    return outcome;
  }
  // An order that ends in a visit.
  ledger::Visit VisitOf(const schedule::Order& order) {
    const schedule::Outcome outcome = OutcomeOf(order);
    EXPECT_EQ(outcome.result, Result::kDone);
    return TakeVisit(order);
  }
  ledger::Visit TakeVisit(const schedule::Order& order) {
    Report report = heard_.TakeReport();
    EXPECT_TRUE(report.visit.has_value());
    ledger::Visit visit = std::move(report.visit).value_or(ledger::Visit());  // no copy of it
    EXPECT_EQ(visit.page, order.page);
    EXPECT_EQ(desk().in_progress(), 1u) << "in progress until it is handled";
    desk().Handled(order.page);
    if (!report.log_line.empty()) desk().LogRecorded({{report.log_line, std::nullopt}});
    return visit;
  }
  // The visit of a page that the server answers with `reply`.
  ledger::Visit VisitAnswered(HttpReply reply, bool last_attempt = false) {
    KnowRobots();
    Serve("/page", std::move(reply));
    schedule::Order order = OrderOf(kPage);
    order.last_attempt = last_attempt;
    return VisitOf(order);
  }
  // The outcome of one that may pass.
  schedule::Outcome TransientAnswered(HttpReply reply) {
    KnowRobots();
    Serve("/page", std::move(reply));
    const schedule::Outcome outcome = OutcomeOf(OrderOf(kPage));
    EXPECT_EQ(outcome.result, Result::kTransient);
    EXPECT_TRUE(outcome.requested);
    EXPECT_EQ(desk().in_progress(), 0u);
    return outcome;
  }

  static constexpr char kPage[] = "http://a.test/page";
  Heard heard_;
  absl::Mutex mu_;
  std::map<std::string, HttpReply> replies_ ABSL_GUARDED_BY(mu_);
  HttpServer server_{[this](const HttpRequest& request) {
    absl::MutexLock lock(&mu_);
    const auto found = replies_.find(request.target);
    return found == replies_.end() ? Answer("404 Not Found", "", "") : found->second;
  }};
  const std::string log_ =
      testing::TempDir() + "/opic_order_desk_test-" + std::to_string(getpid()) + ".jsonl";
  DeskOptions options_;
  const importance::Window window_{{}};
  url::UrlHash hash_{url::ShardBy::kHost, 1024};
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<OrderDesk> desk_;
};

}  // namespace opic::desk

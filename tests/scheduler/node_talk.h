// A node's side of the talk with a scheduler, for tests: says things, and tells what the scheduler
// answered.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/scheduler.h"

namespace opic::scheduler {

inline PageId Page(uint64_t number) { return PageId::FromWord(number); }

// Time stands still unless told. Outcomes find the host by the page.
class NodeTalk {
 public:
  explicit NodeTalk(store::Store& store, const Options& options = {}) : store_(store) {
    Restart(options);
  }

  // A new scheduler process over the same store, after whatever end the last one had.
  void Restart(const Options& options) {
    auto opened = Scheduler::Open(options, store_, now);
    ASSERT_TRUE(opened.ok()) << opened.status();
    scheduler_ = *std::move(opened);
    directive.reset();
  }
  // The same after a clean stop.
  void Reconfigure(const Options& options) {
    StopCleanly();
    Restart(options);
  }
  void StopCleanly() { ASSERT_TRUE(scheduler_->Save(now, true).ok()); }

  void Hello(uint32_t fetches_max, std::vector<schedule::InFlight> in_flight = {}) {
    scheduler_->Handle(
        schedule::NodeHello{
            .node = "n", .in_flight = in_flight, .fetches_max = fetches_max, .lending = lending},
        now);
    Tick();
  }
  void Capacity(uint32_t fetches_max) { scheduler_->Handle(schedule::Capacity{fetches_max}, now); }
  void LosesItsNetwork() { scheduler_->Handle(schedule::Capacity{.without_network = true}, now); }
  void Offer(const std::string& host, std::vector<uint64_t> pages, uint64_t cash = 0,
             bool favoured = false, std::optional<absl::Time> due = std::nullopt) {
    schedule::Offers offers{.directive = directive ? directive->id : 0};
    for (uint64_t page : pages) {
      offers.offers.push_back({Page(page), host, ::opic::cash::Amount(cash), favoured, due});
      host_of_[page] = host;
    }
    directive.reset();
    scheduler_->Handle(offers, now);
  }
  void NothingLeft() {
    scheduler_->Handle(schedule::Offers{.directive = directive->id, .exhausted = true}, now);
    directive.reset();
  }

  // Outcomes that end now.
  void Say(uint64_t page, schedule::Outcome outcome) {
    outcome.page = Page(page);
    if (outcome.host.empty()) outcome.host = host_of_[page];
    outcome.ended = now;
    scheduler_->Handle(outcome, now);
  }
  void Done(uint64_t page, const std::string& address = "") {
    Say(page, {.requested = true, .status = 200, .address = address});
  }
  void Busy(uint64_t page, absl::Duration retry_after) {
    Say(page, {.result = schedule::Result::kTransient,
               .requested = true,
               .status = 503,
               .retry_after = retry_after});
  }
  // Its host is busy.
  void Refused(uint64_t page) {
    Say(page, {.result = schedule::Result::kTransient, .requested = true, .status = 429});
  }
  // The page is broken, the host is not.
  void Broken(uint64_t page) {
    Say(page, {.result = schedule::Result::kTransient, .requested = true, .status = 500});
  }
  // No connection.
  void Silent(uint64_t page) {
    Say(page, {.result = schedule::Result::kTransient, .network_failure = true});
  }
  void Settled(uint64_t page) { Say(page, {}); }
  void AddressBusy(uint64_t page, const std::string& address) {
    Say(page, {.result = schedule::Result::kPostponed, .address = address, .address_busy = true});
  }

  // The orders given now.
  std::vector<schedule::Order> Tick() {
    std::vector<schedule::Order> orders;
    for (schedule::ToNode& message : scheduler_->Tick(now)) {
      if (auto* given = std::get_if<schedule::Orders>(&message)) {
        orders.insert(orders.end(), given->orders.begin(), given->orders.end());
      }
      if (auto* asked = std::get_if<schedule::Directive>(&message)) directive = *asked;
      if (auto* left = std::get_if<schedule::Released>(&message)) released = std::move(*left);
      if (auto* came = std::get_if<schedule::Adopted>(&message)) adopted = came->shard;
      if (auto* lease = std::get_if<schedule::LeaseMessage>(&message)) messages.push_back(*lease);
    }
    return orders;
  }
  std::vector<uint64_t> Ordered() {
    std::vector<uint64_t> pages;
    for (const schedule::Order& order : Tick()) pages.push_back(order.page.word());
    return pages;
  }
  // Passes time, waking whenever the scheduler wants, up to the first order. Nothing: none within
  // `most`.
  std::optional<absl::Duration> TimeToNextOrder(absl::Duration most = absl::Hours(48)) {
    const absl::Time start = now;
    for (int wakes = 0; wakes < 1000; ++wakes) {
      last_orders = Tick();
      if (!last_orders.empty()) return now - start;
      const absl::Time wake = scheduler_->next_wake();
      if (wake > start + most) return std::nullopt;
      EXPECT_GT(wake, now) << "wakes without anything to say";
      now = wake;
    }
    ADD_FAILURE() << "woken a thousand times for nothing";
    return std::nullopt;
  }
  uint64_t NextPage() { return TimeToNextOrder() ? last_orders.front().page.word() : 0; }

  Scheduler& scheduler() { return *scheduler_; }
  SchedulerStatus status() { return scheduler_->status(now); }
  WaitingReport ExplainAll() { return scheduler_->ExplainAll(now); }
  WaitingHosts Waiting(HostWait wait) { return ExplainAll().reasons[static_cast<size_t>(wait)]; }
  HostExplanation Explain(const std::string& host) { return scheduler_->Explain(host, now); }

  absl::Time now = absl::FromUnixSeconds(1'000'000'000);
  std::optional<schedule::Directive> directive;  // the open one
  std::vector<schedule::Order> last_orders;
  std::optional<schedule::Released> released;  // the last
  std::optional<ShardId> adopted;
  std::optional<schedule::Lending> lending;      // as Hello tells
  std::vector<schedule::LeaseMessage> messages;  // not taken yet

 private:
  store::Store& store_;
  std::unique_ptr<Scheduler> scheduler_;
  std::map<uint64_t, std::string> host_of_;
};

}  // namespace opic::scheduler

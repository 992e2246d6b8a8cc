// Two schedulers of a cluster with h_url = url, and their nodes' side of the talk: node 0 is the
// home of all hosts, both have pages of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/host_state.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {

inline constexpr size_t kHome = 0, kHolder = 1;
inline constexpr absl::Duration kRequestMax = absl::Seconds(10);
// From the grant of a lease that does not come back.
inline const absl::Duration kLapse =
    schedule::kLeaseTerm + schedule::kOrderPatience + kRequestMax + absl::Seconds(5);

// The delay between requests is a second.
class LeaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (size_t n : {kHome, kHolder}) Hello(n);
    Pass(absl::Seconds(2));
  }
  NodeTalk& node(size_t n) { return *nodes_[n]; }
  absl::Time now() const { return nodes_[kHome]->now; }

  void Hello(size_t n, std::vector<schedule::InFlight> in_flight = {}) {
    node(n).lending = schedule::Lending{
        .self = NodeAt(n), .nodes = 2, .process = process_[n], .request_time_max = kRequestMax};
    node(n).Hello(100, std::move(in_flight));
  }
  // The node is a new process; its scheduler hears so when Hello is said.
  void NewProcess(size_t n) { ++process_[n]; }
  void RestartScheduler(size_t n) {
    node(n).Restart({});
    node(n).messages.clear();
  }

  // A message as the node of `to` brings it from `from`.
  void Tell(size_t from, size_t to, schedule::LeaseMessage message) {
    message.peer = NodeAt(from);
    message.process = process_[from];
    node(to).scheduler().Handle(message, now());
  }
  // Passes messages until nobody has any; what is ordered meanwhile is kept.
  void Talk() {
    for (bool quiet = false; !quiet;) {
      quiet = true;
      for (size_t n : {kHome, kHolder}) {
        for (const schedule::Order& order : node(n).Tick()) {
          ordered_[n].push_back(order.page.word());
        }
        for (schedule::LeaseMessage& message : std::exchange(node(n).messages, {})) {
          quiet = false;
          const size_t to = message.peer ? message.peer->value : kHome;
          if (to == n || connected_) Tell(n, to, std::move(message));
        }
      }
    }
  }
  void Pass(absl::Duration time) {
    const absl::Time end = now() + time;
    int wakes = 0;
    for (Talk(); NextWake() <= end && now() < end; Talk()) {
      SetNow(std::max(NextWake(), now() + kTick));
      ASSERT_LT(++wakes, 1000) << "wakes without anything to say";
    }
    SetNow(end);
    Talk();
  }
  std::vector<uint64_t> Ordered(size_t n) { return std::exchange(ordered_[n], {}); }
  // How long it takes until the node is told to fetch something; kNever: more than ten minutes.
  absl::Duration TimeToOrder(size_t n) {
    const absl::Time begin = now();
    for (Talk(); ordered_[n].empty() && now() < begin + absl::Minutes(10); Talk()) {
      if (NextWake() == absl::InfiniteFuture()) return absl::InfiniteDuration();
      SetNow(std::max(NextWake(), now() + kTick));
    }
    return ordered_[n].empty() ? absl::InfiniteDuration() : now() - begin;
  }
  // The messages of a node that nobody has taken, after a Tick.
  std::vector<schedule::LeaseMessage> Messages(size_t n) {
    for (const schedule::Order& order : node(n).Tick()) ordered_[n].push_back(order.page.word());
    return std::exchange(node(n).messages, {});
  }
  std::vector<std::string> Requests(size_t n) {
    std::vector<std::string> requests;
    for (const schedule::LeaseMessage& message : Messages(n)) {
      requests.insert(requests.end(), message.requests.begin(), message.requests.end());
    }
    return requests;
  }
  std::vector<schedule::HostReturn> Returns(size_t n) {
    std::vector<schedule::HostReturn> returns;
    for (const schedule::LeaseMessage& message : Messages(n)) {
      returns.insert(returns.end(), message.returns.begin(), message.returns.end());
    }
    return returns;
  }
  // The home lends, with a term that began at `requested`.
  void Lend(const std::string& host, uint64_t id, absl::Time requested) {
    Tell(kHome, kHolder,
         {.leases = {{.host = host,
                      .id = id,
                      .requested = requested,
                      .term = schedule::kLeaseTerm,
                      .pace = EncodePaceToGo({}, now())}}});
  }

  bool connected_ = true;  // the two nodes, with each other

 private:
  static constexpr absl::Duration kTick = absl::Milliseconds(1);
  absl::Time NextWake() {
    return std::min(node(kHome).scheduler().next_wake(), node(kHolder).scheduler().next_wake());
  }
  void SetNow(absl::Time now) {
    for (auto& node : nodes_) node->now = now;
  }

  std::unique_ptr<store::Store> stores_[2] = {NewMemoryStore(), NewMemoryStore()};
  std::unique_ptr<NodeTalk> nodes_[2] = {std::make_unique<NodeTalk>(*stores_[0]),
                                         std::make_unique<NodeTalk>(*stores_[1])};
  uint64_t process_[2] = {1, 1};
  std::vector<uint64_t> ordered_[2];
};

}  // namespace opic::scheduler

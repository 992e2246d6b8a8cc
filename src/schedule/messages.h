// What a node and its Page Scheduler say to each other (docs/design.md section 6).
// `proto/opic/v1/session.proto` carries the same on the wire; `rpc` converts.
//
// A session begins with NodeHello. The scheduler asks for candidates (Directive), the node answers
// with Offers; the scheduler queues them by host and sends Orders when politeness allows; each
// order is answered by one Outcome. *Ordered* pages and queues live as long as the session: a new
// NodeHello clears both sides.
//
// When a shard moves to another node, its hosts go from scheduler to scheduler by way of the nodes:
// Release, Released, then Adopt, Adopted at the other end. A new session begins these anew. With
// h_url = url the schedulers also write each other LeaseMessages (lease_message.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"
#include "schedule/cluster_share.h"
#include "schedule/host_rules.h"
#include "schedule/lease_message.h"
#include "schedule/strategy.h"

namespace opic::schedule {

// Node to scheduler.

struct InFlight {
  PageId page;
  std::string host;
};

// Only in a cluster with h_url = url, whose hosts are leased (lease_message.h).
struct Lending {
  NodeId self;
  uint32_t nodes = 0;               // in the cluster
  uint64_t process = 0;             // LeaseMessage::process of this node
  absl::Duration request_time_max;  // how long a request may last once it was begun
};

// The first message of a session. Everything queued before is forgotten; hosts of `in_flight` are
// busy until the outcome of that page arrives.
struct NodeHello {
  std::string node;                               // name, for logs
  std::vector<InFlight> in_flight;                // fetches that go on from the session before
  uint32_t fetches_max = 0;                       // orders that may be unanswered at once
  std::optional<Lending> lending = std::nullopt;  // nothing: each host has its pages on one node
  std::vector<HostRule> rules = {};               // as in Rules
  std::vector<HostGroup> groups = {};             // likewise
  ClusterPlace place = {};                        // likewise
  uint64_t given_up_again = 0;                    // likewise
};

// What holds of hosts from now on; what was told before and is not here holds no more. Pages of a
// blocked host stay queued, and are not ordered. Those of a host that was past its budget may be
// ordered again: the node says so once more where it still is.
struct Rules {
  std::vector<HostRule> rules;
  std::vector<HostGroup> groups = {};  // those that have a pace together
  ClusterPlace place = {};             // of the node: limits of the whole cluster are shared
  // Another number than was told before: hosts that are given up are asked once more. 0: says
  // nothing.
  uint64_t given_up_again = 0;
};

// Changes `fetches_max`; 0 pauses ordering. Orders that were sent already stay valid.
struct Capacity {
  uint32_t fetches_max = 0;
  bool without_network = false;  // why it is 0: the node has lost its network
  // Of the scheduler's rate, above 0: how much of it holds. Above 1: other nodes of the cluster
  // give up as much of theirs (refresh_demand.h).
  double rate_factor = 1;
  // Where a host has pages of both kinds, this part of its turns goes to those that are due,
  // above 0 and at most 1.
  double refresh_share = kRefreshShare;
  static constexpr double kRefreshShare = 0.75;  // of a node that says nothing of it
  friend bool operator==(const Capacity&, const Capacity&) = default;
};

struct Offer {
  PageId page;
  std::string host;       // without port, as url::Url::host()
  cash::Amount cash;      // of one that is due: how often it is read (refresh_cash.h)
  bool favoured = false;  // somebody wants it first: its host goes before others that are ready
  // By the plan it is to be read again since then; nothing: it is to be discovered.
  std::optional<absl::Time> due = std::nullopt;
};

// Answers a directive. At most `want` offers.
struct Offers {
  uint64_t directive = 0;
  std::vector<Offer> offers;
  // No page is left that could be offered. New pages may come: ask again later.
  bool exhausted = false;
};

enum class Result : uint8_t {
  kDone,       // the visit is settled: fetched, redirected, failed for good, forbidden...
  kTransient,  // a temporary failure: order it again after the back-off
  kPostponed,  // not tried, or only robots.txt was fetched in this slot: order it again, first of
               // its host
};

struct Outcome {
  PageId page;
  std::string host;
  Result result = Result::kDone;
  bool of_robots = false;  // what follows is of its robots.txt
  bool requested = false;  // a request went out: the host's delay runs from `ended`
  absl::Time ended;
  int status = 0;                // HTTP status, 0 when none
  bool network_failure = false;  // no HTTP answer, or one that broke off behind its status line
  // Asked for by the host (429, 503); 0: nothing asked.
  absl::Duration retry_after = absl::ZeroDuration();
  // As the host's robots.txt says, when it was just read; zero: none. Nothing: unchanged.
  std::optional<absl::Duration> crawl_delay = std::nullopt;
  std::string address;        // IP connected to, empty when none
  bool address_busy = false;  // not sent: too many requests to that address were under way
  bool no_room = false;       // the node's memory for answers was full
  // Of a postponed page: its host is past its budget, in words of at most kOverBudgetBytesMax. No
  // page of the host is to be ordered before Rules are told; empty: it is not.
  std::string over_budget = {};
};
inline constexpr size_t kOverBudgetBytesMax = 512;
inline constexpr char kByHostsFile[] =
    ", by the hosts file";  // its end, when that gives the budget

// The hosts of this shard leave the node: nothing queued of them is ordered any more, and nothing
// is offered. Answered by Released when no order of theirs is open. With h_url = url: the pages of
// this shard, and the hosts that have their home there; none of these is lent any more, and the
// answer waits until all are back.
struct Release {
  ShardId shard;
  uint32_t shards = 0;  // in the cluster, for url::UrlHash::ShardOfHost
};

// The hosts of this shard come to the node. Answered by Adopted when they are on disk.
struct Adopt {
  ShardId shard;
  std::string hosts;  // as in Released; empty: nothing is known of them
};

// Scheduler to node.

// Please offer up to `want` unread pages chosen by `strategy`. One is open at a time.
struct Directive {
  uint64_t id = 0;
  StrategyKind strategy = StrategyKind::kThresholdSweep;
  uint32_t want = 0;
};

// Please fetch these pages now. No host has more orders that are not answered than it may have
// requests at once (HostRule::parallel).
struct Order {
  PageId page;
  bool last_attempt = false;  // a transient failure now counts as failed for good
  // The host has failed for long: settle as failed for good, without a request.
  bool host_given_up = false;
};

struct Released {
  ShardId shard;
  std::string hosts;  // scheduler/host_state.h; at most kHostsBytesMax
};
inline constexpr size_t kHostsBytesMax = 1 << 20;

struct Adopted {
  ShardId shard;
};

// So many queued pages are not ordered, because operators have blocked their hosts, or the hosts
// are past their budgets. Told when it has changed; 0 when a session begins.
struct Withheld {
  uint64_t pages = 0;
};

using ToScheduler =
    std::variant<NodeHello, Capacity, Offers, Outcome, Release, Adopt, LeaseMessage, Rules>;
struct Orders {
  std::vector<Order> orders;
};
using ToNode = std::variant<Directive, Orders, Released, Adopted, LeaseMessage, Withheld>;

}  // namespace opic::schedule

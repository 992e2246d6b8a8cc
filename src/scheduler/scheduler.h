// The Page Scheduler of one node (paper section 4.1, docs/design.md section 6): decides which page
// is fetched when.
//
// A core without threads, sockets or clock: messages in, messages out, time as an argument. `rpc`
// wraps it in the gRPC service and a thread. Politeness is kept here: per host one fetch at a time
// and a delay, unless operators allow more at once, per IP address its own wider limits. Ready
// hosts wait in a heap by next allowed time: a choice costs O(log hosts), never O(queue).
//
// Durable, in its own store: per host the next allowed time, crawl delay, back-off; the clean-stop
// mark. After an unclean stop every host waits its full delay before its first request. Queues are
// volatile; what does not fit in memory spills to the store.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "schedule/host_explanation.h"
#include "schedule/messages.h"
#include "store/store.h"

namespace opic::scheduler {

struct Options {
  schedule::StrategyKind strategy = schedule::StrategyKind::kThresholdSweep;
  // Between the end of a fetch and the next one of its host; between starts where a host may have
  // several at once.
  absl::Duration delay = absl::Seconds(1);
  int per_host_max = 1;  // fetches at once from one host
  // A longer Crawl-delay is cut to this, a longer Retry-After to 1 h.
  absl::Duration crawl_delay_max = absl::Minutes(5);
  int per_address_max = 16;  // fetches at once from one IP address
  // Between starts of fetches from one IP address.
  absl::Duration address_delay = absl::ZeroDuration();
  double pages_per_s_max = 0;  // budget; 0: none
  int attempts_max = 3;        // of a page with transient failures
  absl::Duration backoff_first = absl::Seconds(2);
  absl::Duration backoff_max = absl::Minutes(10);
  int host_failures_max = 6;  // consecutive network failures before a host is given up for a day
  size_t queued_in_memory_max = 1'000'000;  // pages; the rest spills to the store
  size_t ready_low_water = 2'000;           // asks for offers below this many queued pages...
  uint32_t offers_wanted = 4'000;           // ...this many at once
  bool tells_sessions = false;              // in the log: its node is another process
};

struct SchedulerStatus {
  uint64_t withheld = 0;  // of those queued, on hosts that are blocked or past their budgets
  uint64_t queued = 0, queued_on_disk = 0, in_flight = 0, hosts = 0, hosts_ready = 0,
           hosts_given_up = 0;
  uint64_t orders = 0, outcomes = 0, transient = 0, postponed = 0;
  double pages_per_s_max = 0;                        // 0: no limit
  absl::Duration delay;                              // between two fetches of a host
  bool rate_was_set = false, delay_was_set = false;  // by an operator, not at the start
  bool exhausted = false;   // nothing queued or in flight and the node's last offers said exhausted
  std::string idle_reason;  // why nothing is ordered now, for people; empty when not idle
};

using schedule::HostExplanation;

// Why a host's queued pages are not fetched now: the first of these that holds.
enum class HostWait : uint8_t {
  kFetching,  // one of them is being fetched
  kNoNode,    // none is connected
  kBlocked,   // by an operator: its pages stay as they are
  kBudget,    // it is past its budget of pages or bytes: they stay as they are, too
  kOnLoan,    // another node of the cluster has the host, or is to have it
  kGivenUp,   // its pages are settled without a request
  kRetries,   // all of them have failed, and are tried again later
  kBackoff,   // it has failed
  kDelay,     // it is asked politely
  kRoom,      // the node's memory for answers was full
  kHeld,      // the node could not try its last order for another reason
  kAddress,   // hosts on its IP address are
  kGroup,     // hosts of its group are, or were just now
  kPaused,
  kFetches,  // all that the node makes at once are in use
  kRate,     // the budget of pages a second is used up
  kNext,     // nothing: it is ordered next
};
inline constexpr size_t kHostWaits = 17;
std::string_view Name(HostWait wait);  // "fetching", "no_node", …

// Hosts with queued pages that wait for the same.
struct WaitingHosts {
  uint64_t hosts = 0, pages = 0;
  absl::Time first = absl::InfiniteFuture();  // of them may be asked; InfiniteFuture: not known
  std::string example;                        // that one, or any
};
struct WaitingReport {
  std::array<WaitingHosts, kHostWaits> reasons;  // by HostWait
  std::string idle_reason;                       // as SchedulerStatus
};

// Thread safety: confined to the owner thread.
class Scheduler {
 public:
  // `store` must outlive the scheduler. Fails when the store holds another format or cannot be
  // read.
  static absl::StatusOr<std::unique_ptr<Scheduler>> Open(const Options& options,
                                                         store::Store& store, absl::Time now);
  virtual ~Scheduler() = default;

  // An Outcome is taken as the answer to the order of its page; without one it only tells about its
  // host. A Capacity, even an unchanged one, also says that new pages may be known: an exhausted
  // node is asked again.
  virtual void Handle(const schedule::ToScheduler& message, absl::Time now) = 0;
  // What is to be sent to the node now; call after Handle and whenever next_wake() has come. Saves
  // by itself, at most once a second, when something durable changed; a failed save is logged and
  // tried again.
  virtual std::vector<schedule::ToNode> Tick(absl::Time now) = 0;
  // When Tick may next have something to say without a message arriving; InfiniteFuture: never.
  virtual absl::Time next_wake() const = 0;
  // Stores what is durable; with `clean`, also the clean-stop mark: what is handled after it is
  // ignored.
  virtual absl::Status Save(absl::Time now, bool clean) = 0;

  virtual SchedulerStatus status(absl::Time now) const = 0;
  virtual HostExplanation Explain(const std::string& host, absl::Time now) const = 0;
  // All hosts with queued pages; looks at every host in memory.
  virtual WaitingReport ExplainAll(absl::Time now) const = 0;
  // How far the wall clock is ahead of the times that are passed in, which must never step: what
  // is stored is by the wall clock. 0 until told.
  virtual void SetWallAhead(absl::Duration ahead) = 0;
  // What an operator sets: durable, and in force, when it comes back; after an error it is not in
  // force. What is not given stays. A delay counts from the end of each host's next fetch on.
  virtual absl::Status SetBudget(std::optional<double> pages_per_s_max,
                                 std::optional<absl::Duration> delay) = 0;
};

}  // namespace opic::scheduler

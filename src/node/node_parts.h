// What a crawler node is made of, and the way to its ledger's thread. Node (node.h) makes the
// parts, starts and ends them; what is asked of a running node (operations.h) is done with them.
//
// Thread safety: the members are set by Node::Open and Node::Start and stay, but for the atomic
// ones. Ledger and exchange are for the ledger's thread once it runs; the other parts synchronise
// themselves.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "cluster/exchange.h"
#include "desk/order_desk.h"
#include "desk/scheduler_link.h"
#include "desk/store_failure.h"
#include "ledger/ledger.h"
#include "node/answers.h"
#include "node/audit_trail.h"
#include "node/crawl_options.h"
#include "node/export_desk.h"
#include "node/host_budgets.h"
#include "node/host_rule_book.h"
#include "node/lease_relay.h"
#include "node/ledger_loop.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::node {

inline const absl::Status& StatusOf(const absl::Status& answer) { return answer; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& answer) {
  return answer.status();
}

struct NodeParts {
  // A caller hears in a moment that its change has failed; longer than this nothing waits for it.
  static constexpr absl::Duration kSayWhy = absl::Seconds(5);

  // `clock` must outlive the parts.
  NodeParts(const CrawlOptions& options, base::Clock& clock) : options(options), clock(clock) {}

  // Runs `work` on the ledger's thread and waits. Before that thread is started: here, for whoever
  // opened the node; Unavailable for others, who may ask as soon as the server listens. It is never
  // run after the return, and may refer to what is gone then.
  absl::Status OnLedger(std::function<void()> work);
  // Asks on the ledger's thread in the same way, and gives the answer, a Status or a StatusOr.
  template <typename Ask>
  std::invoke_result_t<Ask> AskLedger(Ask ask) {
    std::optional<std::invoke_result_t<Ask>> answer;
    RETURN_IF_ERROR(OnLedger([&] { answer.emplace(ask()); }));
    return *std::move(answer);
  }
  // Asks for a change that must be durable before it is confirmed. When the store fails, the node
  // ends as after a failed commit: the answer is desk::EndsProcess, and whoever gives it to the
  // caller ends the process then; the ledger's thread does nothing any more, and ends it after
  // kSayWhy at the latest. While the node is opened the failure is the answer, and Open fails.
  template <typename Change>
  std::invoke_result_t<Change> ChangeOnLedger(Change change) {
    std::optional<std::invoke_result_t<Change>> answer;
    absl::Status failure;
    RETURN_IF_ERROR(OnLedger([&] {
      answer.emplace(change());
      if (desk::IsStoreFailure(StatusOf(*answer))) failure = store_failure = StatusOf(*answer);
    }));
    if (!failure.ok() && running) return desk::ProcessEnds(failure);
    return *std::move(answer);
  }
  void EndWhenSaid() const;  // on the ledger's thread, because of store_failure
  // Unimplemented: the node is in none.
  absl::Status InCluster() const;
  // FailedPrecondition: this node of a cluster was added, or took the place of a lost one, and has
  // no order yet; a seed for it alone would begin its crawl without the scope and the rules for
  // hosts that the others have. REQUIRES: the ledger's thread.
  absl::Status CheckOrdered() const;
  // What operators have set of the limits is recalled, or changed. REQUIRES: the ledger's thread.
  void UseLimits(const LimitChanges& set);
  // No new fetches, or again: not after StopFetching.
  void HoldFetches(bool hold);
  // No new fetches until the process ends, whatever an operator asks for.
  void StopFetching();
  NodeStats Stats() const;
  LoopStats LoopFigures() const;
  MemoryParts Memory() const;  // REQUIRES: running
  const ledger::Charter& charter() const { return ledger->charter(); }

  CrawlOptions options;
  base::Clock& clock;
  LimitChanges limits_set;  // by operators; the ledger's thread's
  std::string fetch_log;
  desk::SchedulerLink* link = nullptr;        // once started
  std::function<bool(NodeId)> answers;        // knocks at a peer; null: there are none
  std::function<bool(bool over)> may_finish;  // Node::AskBeforeFinishing; null: always
  absl::Duration recovery_time;
  absl::Time started;
  absl::Status store_failure;  // of a change; the ledger's thread's
  const std::thread::id opener = std::this_thread::get_id();
  std::atomic<bool> running = false;  // the ledger has its thread
  std::atomic<bool> paused = false;
  absl::Mutex holding;
  bool stopping ABSL_GUARDED_BY(holding) = false;
  std::atomic<bool> stop_requested = false;
  // Destroyed in the reverse order: the loop and the desk stop before what they use.
  std::unique_ptr<store::Store> store;
  std::unique_ptr<HostRuleBook> host_rules;
  std::unique_ptr<HostBudgets> budgets;
  std::unique_ptr<AuditTrail> trail;
  std::unique_ptr<ledger::Ledger> ledger;
  std::unique_ptr<url::UrlHash> hash;
  std::unique_ptr<cluster::Exchange> exchange;  // null: in no cluster
  std::unique_ptr<LedgerLoop> loop;
  std::unique_ptr<desk::OrderDesk> desk;
  std::unique_ptr<LeaseRelay> relay;  // where hosts are lent
  std::unique_ptr<ExportDesk> exports;
};

}  // namespace opic::node

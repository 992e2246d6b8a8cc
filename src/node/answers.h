// Questions about the money and the ranking, answered by a running node, by a folder at rest, or by
// a whole cluster.
//
// Thread safety: those of a running node (running_node.h) and of a cluster (rpc/cluster_answers.h)
// are synchronised inside; those of a folder at rest are confined to one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "desk/counters.h"
#include "node/data_folder.h"
#include "node/ledger_loop.h"
#include "node/memory_parts.h"
#include "node/page_filter.h"
#include "node/ranking.h"
#include "node/site_sums.h"
#include "schedule/host_explanation.h"
#include "url/trap.h"

namespace opic::node {

class GreatPages;

struct NodeStats {
  LoopStats loop;
  desk::Counters counters;
  uint64_t in_flight = 0;    // requests under way
  uint64_t in_progress = 0;  // those, and pages whose visit is not recorded yet
  absl::Duration fetch_cpu, worker_cpu;
  ledger::RecoveryReport recovery;
  absl::Duration recovery_time;
  absl::Duration uptime;           // of the node
  std::string release;             // base::Release(); of a cluster whose nodes differ: empty
  uint64_t memory_bytes_peak = 0;  // of its process
  MemoryParts memory;              // of a running node
  uint64_t calls_bytes_max = 0;    // that calls from outside may take of it; 0: nobody calls
  bool scheduler_away = false;     // the Page Scheduler does not answer: nothing new is fetched
  bool paused = false;             // by an operator; of a cluster: all nodes
  // The node has lost its network, by the wall clock: nothing is fetched; of a cluster: the first.
  std::optional<absl::Time> without_network_since;
  // For a whole cluster, whose sums stand above: the nodes that answered, and the names of those
  // that did not.
  std::string name;
  std::vector<NodeStats> nodes;
  std::vector<std::string> missing;
};

// Whether nobody waits for an answer any more: asked between the steps of a long walk, on its
// thread, which then ends with Cancelled. Empty: somebody does.
using GivenUp = std::function<bool()>;

// Which pages are wanted: the best `count` of those that the filter, as typed, lets through.
struct TopQuery {
  size_t count = 10;
  PageFilter filter = {};
  GivenUp given_up = nullptr;
};

// Which sites are wanted: the `count` best.
struct SitesQuery {
  SiteKind kind = SiteKind::kHost;
  size_t count = 10;
  GivenUp given_up = nullptr;
};

struct TopSites {
  std::vector<Site> sites;
  // Different ones; of a cluster, those of each node, so that a site on two nodes counts twice.
  uint64_t known = 0;
  uint64_t pages = 0;  // known, of all sites
  double clock = 0;    // as in TopPages
  double error_bound = 0;
  importance::Method method = importance::Method::kWindow;
  // Of a cluster, where a site has pages on several nodes: nodes tell of their best ones only, and
  // what others may have besides is less than this. 0: nothing is missing.
  double importance_missed = 0;
  // Groups of a folder at rest, which has no hosts file: of each only its name is known, and, of
  // its members while they were in it, `pages` that were asked for and `bytes`.
  bool only_spent = false;
  std::vector<std::string> missing;  // nodes of a cluster that did not answer
};

// Everything that is known of a page: why it is not fetched, or when it is read again.
struct PageExplanation {
  PageImportance page;
  url::Trap trap = url::Trap::kNone;  // what its URL looks like, also of a page that is fetched
  // By a running node, of a page for which WaitsToBeFetched holds: why it still waits. Of another
  // one whose host is blocked: by what.
  std::optional<schedule::HostExplanation> host;
  std::string host_unknown;  // of such a page without `host`: why the Page Scheduler does not say
  // By a running node, of an unread page: what its cash counts times where it is chosen for
  // discovery (node/attention.h), and what interest has in that. 0: not told.
  double cash_factor = 0, interest_factor = 0;
};

// Answers questions about the money and the ranking, of a running node or of a folder at rest.
class Answers {
 public:
  virtual ~Answers() = default;
  virtual absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) = 0;
  // Of one URL. InvalidArgument: it is not one.
  virtual absl::StatusOr<PageExplanation> Explain(const std::string& url) = 0;
  struct TopPages {
    std::vector<PageImportance> pages;
    uint64_t known = 0;
    uint64_t matching = 0;   // of those, as many as the filter lets through
    double clock = 0;        // in supplies
    double error_bound = 0;  // of all estimates together (ledger::Accounting)
    importance::Method method = importance::Method::kWindow;
    std::vector<std::string> missing;  // nodes of a cluster that did not answer
  };
  // InvalidArgument says what is wrong with the filter.
  virtual absl::StatusOr<TopPages> Top(const TopQuery& query) = 0;
  // OutOfRange: there are too many sites to be added up (SiteSums).
  virtual absl::StatusOr<TopSites> Sites(const SitesQuery& query) = 0;
  virtual absl::StatusOr<Audit> TakeAudit() = 0;
  virtual absl::StatusOr<NodeStats> Stats() = 0;
};

// Importance of each URL, in their order. REQUIRES here and below: the ledger's thread.
absl::StatusOr<std::vector<PageImportance>> AnswerImportance(const ledger::Ledger& ledger,
                                                             store::Store& store,
                                                             const url::UrlHash& hash,
                                                             const std::vector<std::string>& urls);
// An explanation without the host. REQUIRES: one URL was asked for.
PageExplanation ExplanationOf(PageImportance page, absl::Time now);
// It is due, for the first time or again.
bool WaitsToBeFetched(const PageImportance& page, absl::Time now);
// Cancelled: it is given up.
absl::Status CheckWanted(const GivenUp& given_up);
// Runs work on the ledger's thread, and gives its status.
using RunOnLedger = absl::FunctionRef<absl::Status(absl::FunctionRef<absl::Status()>)>;
// Goes in steps on the ledger's thread, and lets the crawl go on between them. To be called on
// another thread, or at rest. `great` makes the next answer quick (top_of_great.h); null: it is the
// only one. Steps follow each other without a pause until they have taken `at_once`: beside a crawl
// each pause is a turn of the ledger's loop, some 30 ms. 0: there is one after each step.
absl::StatusOr<Answers::TopPages> AnswerTop(const ledger::Ledger& ledger, store::Store& store,
                                            const TopQuery& query, RunOnLedger on_ledger,
                                            GreatPages* great = nullptr,
                                            absl::Duration at_once = absl::ZeroDuration());

// The answers of a folder that no process uses: the ledger is recovered in memory, nothing is
// written. A node of a cluster answers for its own part.
absl::StatusOr<std::unique_ptr<Answers>> OpenAtRest(const DataFolder& folder);

}  // namespace opic::node

// How much was fetched of each host and each registrable domain, over all time, and what that may
// come to: against hosts that make pages without end, and farms of hosts that do.
//
// Counted are pages that were asked for at least once, however that ended, and the bytes that were
// received (as `--bytes` counts them) with the answer that ended their first visit. A page that is
// read again costs nothing, and an answer after which the page is asked for once more neither. So a
// budget bounds what is discovered of a host, not how long it is kept fresh.
//
// A limit is the one of a rule for this host or this domain, else the one that all have; both the
// host's and its domain's hold. A host past one is asked for nothing, like a blocked one. A group
// of the hosts file has a limit of its own besides, for what was fetched of its members while they
// were in it.
//
// Durable: a row for each host, domain and group (docs/formats/store.md), in the same write as the
// visits that are counted. The counts of a host go along with its shard, and no count is ever
// lowered: of two the greater one is the later. What a domain has is the sum of its hosts here.
//
// Memory: a hundred thousand counts at most, besides those of pages under way or not yet written.
//
// Thread safety: synchronised inside; Record, Committed, Pack and Unpack on the ledger's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "desk/host_allowance.h"
#include "ledger/charter.h"
#include "node/host_rule_book.h"
#include "node/spent_rows.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::node {

// Of every host and every registrable domain; 0: no limit.
struct BudgetOptions {
  uint64_t host_pages = 0, host_bytes = 0;
  uint64_t domain_pages = 0, domain_bytes = 0;
};

class HostBudgets final : public desk::HostAllowance {
 public:
  // All must outlive it.
  HostBudgets(const BudgetOptions& options, const HostRuleBook& rules,
              const ledger::Charter& charter, store::Store& store);
  // `tell` has the scheduler told the rules once more. To be called before the first order.
  void TellRulesBy(std::function<void()> tell) { tell_rules_ = std::move(tell); }

  bool AnyLimit() const { return AnyLimit(*rules_.rules()); }
  absl::StatusOr<std::string> OverBudget(std::string_view host) override;
  absl::StatusOr<std::string> Begin(PageId page, std::string_view host) override;
  void ToldOverBudget(std::string_view host) override;
  void GiveBack(PageId page) override;
  void Received(PageId page, uint64_t bytes) override;

  // These pages are visited, with the group that is written next: what of them was begun is spent.
  // The rows to be written with it, by key in Table::kMeta.
  std::vector<std::pair<std::string, std::string>> Record(absl::Span<const PageId> pages);
  // The store has all rows that Record returned. Until then their counts stay in memory.
  void Committed();

  // For tests: what was spent of a host, or of a domain, as recorded. DataLoss: a row is damaged.
  absl::StatusOr<Spent> SpentOf(std::string_view name, bool domain);

  // Of a shard that leaves: `hosts` (schedule::Released), and with them what was spent of its
  // hosts, as far as bytes_max goes. With h_url = url a host has no shard that its pages are in,
  // and each node counts what it has fetched itself.
  absl::StatusOr<std::string> Pack(ShardId shard, std::string hosts, size_t bytes_max);
  // Of a shard that has come: takes what was spent up, durably, and returns `hosts` as the last
  // owner's Pack got it. Those of a node that does not count are returned as they are.
  absl::StatusOr<std::string> Unpack(ShardId shard, std::string hosts);

 private:
  struct Count {
    Spent spent;      // recorded
    Spent under_way;  // begun, and not recorded
    bool unwritten = false;
  };
  struct Names {
    std::string host, domain;                     // without final dots
    std::string host_key, domain_key, group_key;  // of their rows; no group: empty
    std::vector<const std::string*> Keys() const;
  };
  struct Begun {
    Names names;
    uint64_t bytes = 0;
  };

  Names NamesOf(std::string_view host) const;
  bool AnyLimit(const schedule::HostRules& rules) const;
  void MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<Count*> CountOf(const std::string& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<std::string> WhyOver(const Names& names, const schedule::HostRules& rules)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<std::string> WhyOverOf(const Names& names, const schedule::HostRules& rules,
                                        bool domain) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<std::string> WhyGroupOver(const Names& names) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Take(std::string_view told, ShardId shard);

  const BudgetOptions options_;
  const HostRuleBook& rules_;
  const bool hosts_move_;  // with their shards
  const url::UrlHash hash_;
  store::Store& store_;
  std::function<void()> tell_rules_;
  mutable absl::Mutex mu_;
  absl::node_hash_map<std::string, Count> counts_ ABSL_GUARDED_BY(mu_);  // by key
  std::vector<std::string> unwritten_ ABSL_GUARDED_BY(mu_);              // keys of such counts
  absl::flat_hash_map<PageId, Begun> begun_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::node

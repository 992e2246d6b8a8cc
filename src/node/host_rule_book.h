// The rules of operators for hosts, as the data folder remembers them (schedule/host_rules.h): they
// hold over restarts. Every node of a cluster has all rules, so that a shard that moves comes to
// the same ones.
//
// Beside them hold those of a file, which are this node's own and are not remembered
// (node/hosts_file.h).
//
// Thread safety: synchronised inside; Change, Adopt and UseFile on one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "node/data_folder.h"
#include "node/host_change.h"
#include "node/hosts_file.h"
#include "node/kept_rule.h"
#include "schedule/host_rules.h"
#include "store/store.h"

namespace opic::node {

class HostRuleBook {
 public:
  // `store` must outlive the book. DataLoss: a rule cannot be read.
  static absl::StatusOr<std::unique_ptr<HostRuleBook>> Open(store::Store& store);

  // What holds now, with those of the file; the value stays as it is.
  std::shared_ptr<const schedule::HostRules> rules() const;
  std::vector<schedule::HostRule> list() const;
  // Of the file: those that have a pace.
  std::vector<schedule::HostGroup> groups() const;
  // Of operators alone; domains first, by name.
  std::vector<KeptRule> kept() const;
  std::shared_ptr<const HostsFile> file() const;  // null: none

  // These hold, in place of the file before; null: none. In force when it returns.
  // FailedPrecondition: there would be too many rules, and nothing changes.
  absl::Status UseFile(std::shared_ptr<const HostsFile> file);

  // Makes all changes or none; durable, and in force, when it returns. Returns the rules as they
  // are then, in the order of the changes; one without a block, a delay and a budget is not kept. A
  // change that only lifts is for any name: whatever is in the book can be taken out.
  // InvalidArgument: not a host, not a registrable domain, or a delay or budget out of bounds;
  // FailedPrecondition: what is to be unblocked is blocked with a domain above it, or by the file,
  // or there would be too many rules.
  absl::StatusOr<std::vector<KeptRule>> Change(const std::vector<HostChange>& changes,
                                               const std::string& by, absl::Time now);
  // Takes up the rules of other nodes (UnionOf), all or none, durable like Change. Returns those
  // that have changed. InvalidArgument: a name, delay, budget, date or author that Change would
  // refuse; which domains are registrable differs between releases, and is not checked.
  absl::StatusOr<std::vector<KeptRule>> Adopt(const std::vector<KeptRule>& told, absl::Time now);

 private:
  using Kept = std::map<schedule::HostName, KeptRule>;

  explicit HostRuleBook(store::Store& store) : store_(store) {}
  Kept Copy() const;
  void TakeUp(Kept kept, std::shared_ptr<const HostsFile> file,
              std::shared_ptr<const schedule::HostRules> rules);

  store::Store& store_;
  mutable absl::Mutex mu_;
  Kept kept_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<const HostsFile> file_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<const schedule::HostRules> rules_ ABSL_GUARDED_BY(mu_) =
      std::make_shared<const schedule::HostRules>();
};

// HostRuleBook::Change in a folder that no process uses; its next process obeys. Whoever calls has
// the folder's lock.
absl::StatusOr<std::vector<KeptRule>> ChangeRulesAtRest(const DataFolder& folder,
                                                        const std::vector<HostChange>& changes,
                                                        const std::string& by, absl::Time now);

// "the domain example.org is blocked", "a.test is not blocked, with a delay of 5s, at most 9
// pages".
std::string InWords(const schedule::HostRule& rule);

}  // namespace opic::node

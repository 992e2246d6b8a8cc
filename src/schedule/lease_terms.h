// What a node knows of the leases of its own scheduler (lease_message.h): until when a request to a
// host on loan may be begun.
//
// An order may lie long between scheduler and node, when either or the link stands still, longer
// than the home waits for the lease. The node cannot see that from the order: their clocks need not
// agree. But all requests and leases pass through it. A request was granted after it passed, so a
// term that begins when it passed, by the node's own clock, ends before the home's does.
//
// Thread safety: confined to the owner thread, or under the owner's lock.
#pragma once

#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "schedule/lease_message.h"

namespace opic::schedule {

class LeaseTerms {
 public:
  // A message with requests, written by the scheduler at `sent`, passes at `now`, the node's clock.
  void OnRequests(absl::Time sent, absl::Time now);
  // A lease passes to the scheduler.
  void OnLease(const HostLease& lease, absl::Time now);
  // Whether a request to the host may begin. False too for hosts of which no lease has passed.
  bool MayAsk(const std::string& host, absl::Time now) const;

  size_t hosts() const { return ends_.size(); }

 private:
  void ForgetOver(absl::Time now);

  std::map<absl::Time, absl::Time> passed_;  // by LeaseMessage::sent
  absl::flat_hash_map<std::string, absl::Time> ends_;
  size_t forget_at_ = 1024;  // hosts
};

}  // namespace opic::schedule

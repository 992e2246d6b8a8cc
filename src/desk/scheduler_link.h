// The way to the Page Scheduler, as a node needs it; `rpc` implements it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "schedule/host_explanation.h"
#include "schedule/messages.h"

namespace opic::desk {

// Thread safety: synchronised inside; Send never blocks. What cannot be delivered is dropped
// together with the session: the next one begins with Hello.
class SchedulerLink {
 public:
  virtual ~SchedulerLink() = default;
  virtual void Send(schedule::ToScheduler message) = 0;
  // False: the scheduler has not answered for some seconds.
  virtual bool connected() const { return true; }
  // Why pages of this host are not fetched now; times are the wall clock's. Waits some seconds at
  // most for the scheduler's answer; must not be called on the link's own thread.
  // Unavailable: it does not answer.
  virtual absl::StatusOr<schedule::HostExplanation> ExplainHost(const std::string&) {
    return absl::UnavailableError("there is no Page Scheduler");
  }
};

}  // namespace opic::desk

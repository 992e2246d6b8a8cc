// The way to the Page Scheduler, as a node needs it; `rpc` implements it.
#pragma once

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
};

}  // namespace opic::desk

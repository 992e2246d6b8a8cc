#include "scheduler/turn_line.h"

namespace opic::scheduler {

void TurnLine::Add(Host* host, absl::Time time, bool refreshes) {
  if (!refreshes) return others_.Set(host, time);
  turns_.push(time);
  overdue_.Set(host, host->queue.refreshes.first());
}

void TurnLine::Remove(Host* host) {
  if (others_.Contains(host)) return others_.Remove(host);
  if (!overdue_.Contains(host)) return;
  turns_.pop();
  overdue_.Remove(host);
}

void TurnLine::Clear() {
  others_.Clear();
  overdue_.Clear();
  turns_ = {};
}

}  // namespace opic::scheduler

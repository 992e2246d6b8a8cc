// Holds a crawl to its limits: pages, bytes, time, fetches at once. The order desk, which is told
// the limits, counts what is asked for; the time counts from the construction of the keeper.
//
// Thread safety: confined to the ledger's thread; until Start, to the thread that starts it.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "base/clock.h"
#include "desk/order_desk.h"
#include "node/crawl_options.h"
#include "node/limits.h"

namespace opic::node {

class LimitKeeper {
 public:
  // `clock` must outlive the keeper.
  LimitKeeper(const CrawlOptions& options, base::Clock& clock);

  // `desk` is told the limits from now on, and must outlive the keeper. `pages` of the crawl were
  // answered before, and count.
  void Start(desk::OrderDesk& desk, uint64_t pages);
  // From now on.
  void Set(const Limits& limits);
  const Limits& limits() const { return limits_; }

  // Nothing more is to be asked for. REQUIRES: started.
  bool Reached() const;
  bool TimeIsOver() const;
  // When the time is over nothing more is asked for, and fetches under way have a while to end by
  // themselves: a slow answer must not hold up the crawl. Its page stays unread. REQUIRES: started.
  void HoldToTime();

 private:
  absl::Duration Overtime() const;  // negative: the time is not over

  const uint64_t bytes_max_;  // 0: no limit
  const absl::Duration time_max_, stop_patience_;
  base::Clock& clock_;
  const absl::Time began_;
  Limits limits_;
  desk::OrderDesk* desk_ = nullptr;
};

}  // namespace opic::node

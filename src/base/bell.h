// What wakes a thread that waits for a time, or for somebody who rings. It goes by the monotonic
// clock (base/steady_wait.h).
//
// Thread safety: synchronised inside; one thread waits.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/time/time.h"
#include "base/steady_wait.h"

namespace opic::base {

class Bell {
 public:
  // Is heard once: by who waits, or else by who waits next.
  void Ring() {
    {
      const std::lock_guard lock(mu_);
      rung_ = true;
    }
    changed_.notify_all();
  }
  // Until it rings, or for `patience`, 24 hours at most; whether it has rung.
  bool Await(absl::Duration patience) {
    std::unique_lock lock(mu_);
    AwaitSteadily(changed_, lock, patience, [this] { return rung_; });
    return std::exchange(rung_, false);
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool rung_ = false;
};

}  // namespace opic::base

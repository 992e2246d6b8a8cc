// How many page requests may be begun: the limit of `opic crawl --pages`. A request takes one, and
// gives it back when it must be made again. The limit may change at any time; what was taken stays.
//
// Thread safety: synchronised inside.
#pragma once

#include <cstdint>

#include "absl/synchronization/mutex.h"

namespace opic::desk {

class PageAllowance {
 public:
  // That were taken by processes before this one.
  void CountEarlier(uint64_t pages) {
    absl::MutexLock lock(&mu_);
    taken_ += pages;
  }
  // In all; 0: no limit.
  void Limit(uint64_t pages) {
    absl::MutexLock lock(&mu_);
    most_ = pages;
  }
  // False: none is left.
  bool Take() {
    absl::MutexLock lock(&mu_);
    if (none_left()) return false;
    ++taken_;
    return true;
  }
  void Return() {
    absl::MutexLock lock(&mu_);
    --taken_;
  }
  bool exhausted() const {
    absl::MutexLock lock(&mu_);
    return none_left();
  }

 private:
  bool none_left() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return most_ > 0 && taken_ >= most_; }

  mutable absl::Mutex mu_;
  uint64_t taken_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t most_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace opic::desk

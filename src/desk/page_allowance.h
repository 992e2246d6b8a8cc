// How many page requests may still be begun: the limit of `opic crawl --pages`. A request takes
// one, and gives it back when it must be made again.
//
// Thread safety: synchronised inside.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/synchronization/mutex.h"

namespace opic::desk {

class PageAllowance {
 public:
  // Until the first call there is no limit.
  void Set(uint64_t pages) {
    absl::MutexLock lock(&mu_);
    left_ = pages;
  }
  // False: none is left.
  bool Take() {
    absl::MutexLock lock(&mu_);
    if (left_ == 0u) return false;
    if (left_) --*left_;
    return true;
  }
  void Return() {
    absl::MutexLock lock(&mu_);
    if (left_) ++*left_;
  }
  bool exhausted() const {
    absl::MutexLock lock(&mu_);
    return left_ == 0u;
  }

 private:
  mutable absl::Mutex mu_;
  std::optional<uint64_t> left_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::desk

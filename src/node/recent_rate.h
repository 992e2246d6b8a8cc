// How fast a count grows now: over the last ten seconds, or as long as it is watched.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <deque>

#include "absl/time/time.h"

namespace opic::node {

class RecentRate {
 public:
  static constexpr absl::Duration kWindow = absl::Seconds(10);

  // The count at `now`, a steady time; at any distance. It never falls.
  void Note(absl::Time now, uint64_t count) {
    if (notes_.empty() || now >= notes_.back().at + kStep) notes_.push_back({now, count});
    while (notes_.size() > 1 && notes_[1].at <= now - kWindow) notes_.pop_front();
    const absl::Duration passed = now - notes_.front().at;
    if (passed < kStep) return;
    per_s_ = static_cast<double>(count - notes_.front().count) / absl::ToDoubleSeconds(passed);
  }
  double per_s() const { return per_s_; }  // 0 in the first second

 private:
  static constexpr absl::Duration kStep = absl::Seconds(1);
  struct Noted {
    absl::Time at;
    uint64_t count;
  };
  std::deque<Noted> notes_;  // a step apart
  double per_s_ = 0;
};

}  // namespace opic::node

// Credits between the nodes of a cluster, in a simulation: they wait and are delivered together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "sim/push_bank.h"

namespace opic::sim {

inline constexpr uint64_t kPostNodes = 4;

// Pages lie on the nodes at random. A credit within a node arrives at once.
// Thread safety: confined to the owner thread.
class LatePost final : public CreditPost {
 public:
  // Delivers once in `visits_per_batch` ticks. `bank` must outlive the post.
  LatePost(PushBank& bank, uint64_t visits_per_batch)
      : bank_(bank), visits_per_batch_(visits_per_batch) {}

  void Take(uint32_t from, uint32_t to, int64_t amount) override {
    if (NodeOf(from) == NodeOf(to)) {
      bank_.Credit(to, amount);
    } else {
      waiting_.emplace_back(to, amount);
    }
  }
  // A visit was made.
  void Tick() {
    if (++visits_ < visits_per_batch_) return;
    visits_ = 0;
    for (const auto& [page, amount] : waiting_) bank_.Credit(page, amount);
    waiting_.clear();
  }

 private:
  static uint64_t NodeOf(uint32_t page) { return base::Mix64(page) % kPostNodes; }

  PushBank& bank_;
  const uint64_t visits_per_batch_;
  uint64_t visits_ = 0;
  std::vector<std::pair<uint32_t, int64_t>> waiting_;
};

}  // namespace opic::sim

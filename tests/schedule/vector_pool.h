// A pool of pages in a vector, for tests of strategies.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "schedule/strategy.h"

namespace opic::schedule {

class VectorPool final : public Pool {
 public:
  struct Slot {
    uint64_t cash = 0;
    bool eligible = true;
  };

  // `bundle` slots are read at once, as from a table of buckets.
  explicit VectorPool(std::vector<Slot> slots, uint64_t bundle = 1)
      : slots_(std::move(slots)), bundle_(bundle) {}

  static PageId PageOf(size_t slot) { return PageId::FromWord(slot); }
  Slot& at(PageId page) { return slots_[page.word()]; }
  const std::vector<Slot>& all() const { return slots_; }
  uint64_t walked() const { return walked_; }

  uint64_t eligible() const override {
    return static_cast<uint64_t>(
        std::count_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.eligible; }));
  }
  uint64_t slots() const override { return slots_.size(); }
  cash::Amount mean_cash() const override {
    uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.cash;
    return cash::Amount(slots_.empty() ? 0 : sum / slots_.size());
  }
  bool Walk(uint64_t slots_max, absl::FunctionRef<void(const Candidate&)> visit) override {
    bool wrapped = false;
    for (uint64_t i = 0; i < (slots_max + bundle_ - 1) / bundle_ * bundle_; ++i) {
      const Slot& slot = slots_[place_];
      if (slot.eligible) visit({PageOf(place_), cash::Amount(slot.cash)});
      ++walked_;
      place_ = (place_ + 1) % slots_.size();
      wrapped |= place_ == 0;
    }
    return wrapped;
  }
  void Jump(uint64_t draw) override { place_ = draw % slots_.size(); }

 private:
  std::vector<Slot> slots_;
  const uint64_t bundle_;
  size_t place_ = 0;
  uint64_t walked_ = 0;
};

// One call, into an empty list.
inline std::vector<Candidate> Choose(Strategy& strategy, Pool& pool, size_t want,
                                     uint64_t slots_budget) {
  std::vector<Candidate> chosen;
  strategy.Choose(pool, want, slots_budget, chosen);
  return chosen;
}

inline std::vector<uint64_t> Words(const std::vector<Candidate>& chosen) {
  std::vector<uint64_t> words;
  for (const Candidate& candidate : chosen) words.push_back(candidate.page.word());
  return words;
}

// Chooses until nothing is eligible or `turns` turns are walked; a chosen page is no longer
// eligible. Returns the order in which pages were chosen.
inline std::vector<PageId> ReadAll(Strategy& strategy, VectorPool& pool, size_t want,
                                   uint64_t turns) {
  std::vector<PageId> order;
  while (pool.eligible() > 0 && pool.walked() < turns * pool.slots()) {
    for (const Candidate& candidate : Choose(strategy, pool, want, pool.slots() / 8 + 1)) {
      pool.at(candidate.page).eligible = false;
      order.push_back(candidate.page);
    }
  }
  return order;
}

}  // namespace opic::schedule

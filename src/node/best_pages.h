// The best of many pages, by a number: a heap of as many as are wanted.
//
// Thread safety: compatible.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace opic::node {

class BestPages {
 public:
  explicit BestPages(size_t most) : most_(most) {}

  // Whether Offer would keep it.
  bool Takes(double worth, PageId page) const {
    return heap_.size() < most_ || (most_ > 0 && IsBetter({worth, page}, heap_.front()));
  }
  // Keeps it if it is among the best so far. Of equals the lower word is the better one.
  void Offer(double worth, PageId page) {
    if (!Takes(worth, page)) return;
    heap_.push_back({worth, page});
    std::push_heap(heap_.begin(), heap_.end(), IsBetter);
    if (heap_.size() <= most_) return;
    std::pop_heap(heap_.begin(), heap_.end(), IsBetter);
    heap_.pop_back();
  }
  // The worth of the worst of them; nothing: there are fewer than are wanted.
  std::optional<double> last() const {
    if (most_ == 0 || heap_.size() < most_) return std::nullopt;
    return heap_.front().worth;
  }
  // In no order; none is left.
  std::vector<PageId> Take() {
    std::vector<PageId> pages;
    for (const Entry& entry : heap_) pages.push_back(entry.page);
    heap_.clear();
    return pages;
  }

 private:
  struct Entry {
    double worth;
    PageId page;
  };
  static bool IsBetter(const Entry& a, const Entry& b) {
    return a.worth != b.worth ? a.worth > b.worth : a.page < b.page;
  }

  const size_t most_;
  std::vector<Entry> heap_;  // the worst first
};

}  // namespace opic::node

#include "sim/experiment_ordering_policy.h"

#include <deque>
#include <queue>

#include "base/rng.h"
#include "sim/indexed_heap.h"

namespace opic::sim {
namespace {

class InOrderFound final : public OrderingPolicy {
 public:
  void Found(uint32_t page) override { queue_.push_back(page); }
  void Fetched(uint32_t, absl::Span<const uint32_t>) override {}
  uint32_t Next() override {
    const uint32_t page = queue_.front();
    queue_.pop_front();
    return page;
  }

 private:
  std::deque<uint32_t> queue_;
};

class AtRandom final : public OrderingPolicy {
 public:
  explicit AtRandom(uint64_t seed) : rng_(seed) {}
  void Found(uint32_t page) override { waiting_.push_back(page); }
  void Fetched(uint32_t, absl::Span<const uint32_t>) override {}
  uint32_t Next() override {
    std::swap(waiting_[rng_.Below(waiting_.size())], waiting_.back());
    const uint32_t page = waiting_.back();
    waiting_.pop_back();
    return page;
  }

 private:
  std::vector<uint32_t> waiting_;
  base::Rng rng_;
};

class MostLinked final : public OrderingPolicy {
 public:
  explicit MostLinked(uint32_t pages) : links_to_(pages), fetched_(pages) {}
  void Found(uint32_t page) override { queue_.emplace(links_to_[page], ~page); }
  void Fetched(uint32_t page, absl::Span<const uint32_t> links) override {
    fetched_[page] = true;
    for (uint32_t link : links) {
      if (!fetched_[link]) queue_.emplace(++links_to_[link], ~link);
    }
  }
  uint32_t Next() override {
    while (Stale(queue_.top())) queue_.pop();
    const uint32_t page = ~queue_.top().second;
    queue_.pop();
    return page;
  }

 private:
  using Entry =
      std::pair<uint32_t, uint32_t>;  // links to the page when entered, complement of its number
  bool Stale(const Entry& entry) const {
    return fetched_[~entry.second] || entry.first != links_to_[~entry.second];
  }

  std::vector<uint32_t> links_to_;
  std::vector<bool> fetched_;
  std::priority_queue<Entry>
      queue_;  // a page has an entry for each count it had; the old ones are stale
};

class BestKnown final : public OrderingPolicy {
 public:
  explicit BestKnown(const std::vector<double>& exact)
      : exact_(exact), waiting_(static_cast<uint32_t>(exact.size())) {}
  void Found(uint32_t page) override { waiting_.Set(page, exact_[page]); }
  void Fetched(uint32_t, absl::Span<const uint32_t>) override {}
  uint32_t Next() override {
    const uint32_t page = waiting_.Top();
    waiting_.Remove(page);
    return page;
  }

 private:
  const std::vector<double>& exact_;
  IndexedHeap<double> waiting_;
};

}  // namespace

std::unique_ptr<OrderingPolicy> BreadthFirst() { return std::make_unique<InOrderFound>(); }
std::unique_ptr<OrderingPolicy> RandomOrder(uint64_t seed) {
  return std::make_unique<AtRandom>(seed);
}
std::unique_ptr<OrderingPolicy> InDegreeOrder(uint32_t pages) {
  return std::make_unique<MostLinked>(pages);
}
std::unique_ptr<OrderingPolicy> ExactOrder(const std::vector<double>& exact) {
  return std::make_unique<BestKnown>(exact);
}

void CrawlAll(const graph::Graph& graph, OrderingPolicy& order, uint64_t seed,
              absl::FunctionRef<void(uint32_t page)> fetched) {
  std::vector<bool> known(graph.pages());
  uint64_t waiting = 0;
  const auto find = [&](uint32_t page) {
    if (known[page]) return;
    known[page] = true;
    ++waiting;
    order.Found(page);
  };
  base::Rng rng(seed);
  for (uint32_t i = 0; i < kCrawlSeeds; ++i) {
    find(static_cast<uint32_t>(rng.Below(graph.pages())));
  }
  for (; waiting > 0; --waiting) {
    const uint32_t page = order.Next();
    for (uint32_t link : graph.LinksOf(page)) find(link);
    order.Fetched(page, graph.LinksOf(page));
    fetched(page);
  }
}

}  // namespace opic::sim

#include "sim/experiment_crawl_order.h"

#include <algorithm>
#include <deque>
#include <queue>

#include "base/check.h"
#include "base/rng.h"
#include "sim/opic_simulation.h"

namespace opic::sim {
namespace {

class InOrderFound final : public CrawlOrder {
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

class AtRandom final : public CrawlOrder {
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

class MostLinked final : public CrawlOrder {
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

// Pages are numbered by the bank in the order they were found; `number_` leads there and `page_`
// back.
class MostCash final : public CrawlOrder {
 public:
  MostCash(const Graph& graph, uint64_t settlements, double unread_share)
      : graph_(graph),
        settlements_(settlements),
        number_(graph.pages()),
        bank_({.unread_share = unread_share}),
        unread_pool_(bank_, &unread_),
        read_pool_(bank_, &read_),
        fetching_(schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep, 0)),
        settling_(schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep, 0)) {}

  void Found(uint32_t page) override {
    number_[page] = bank_.AddPage();
    page_.push_back(page);
    unread_.push_back(1);
    read_.push_back(0);
    unread_pool_.set_eligible(++unread_count_);
  }

  void Fetched(uint32_t page, absl::Span<const uint32_t>) override {
    const uint32_t number = number_[page];
    unread_[number] = 0;
    read_[number] = 1;
    unread_pool_.set_eligible(--unread_count_);
    read_pool_.set_eligible(++read_count_);
    Pay(number);
    Settle();
  }

  uint32_t Next() override {
    if (bank_.visits() == 0)
      bank_.Sweep(bank_.pages());  // genesis: the virtual page pays the seeds
    for (int turn = 0; turn < kSweepTurns; ++turn) {
      chosen_.clear();
      fetching_->Choose(unread_pool_, 1, unread_pool_.slots(), chosen_);
      if (!chosen_.empty()) return page_[chosen_.front().page.id()];
    }
    // What is left holds next to nothing: any of it, rather than turn on.
    const auto any = std::ranges::find(unread_, 1);
    OPIC_CHECK(any != unread_.end()) << "no page is left to fetch";
    return page_[static_cast<size_t>(any - unread_.begin())];
  }

 private:
  void Settle() {
    chosen_.clear();
    settling_->Choose(read_pool_, settlements_, read_pool_.slots(), chosen_);
    for (const schedule::Candidate& candidate : chosen_)
      Pay(static_cast<uint32_t>(candidate.page.id()));
  }

  void Pay(uint32_t number) {
    links_.clear();
    for (uint32_t link : graph_.LinksOf(page_[number])) links_.push_back(number_[link]);
    bank_.Visit(number, links_);
  }

  static constexpr int kSweepTurns = 16;  // without a choice; each lowers the threshold

  const Graph& graph_;
  const uint64_t settlements_;
  std::vector<uint32_t> number_, page_;
  OpicBank bank_;
  std::vector<uint8_t> unread_, read_;
  uint64_t unread_count_ = 0, read_count_ = 0;
  BankPool unread_pool_, read_pool_;
  std::unique_ptr<schedule::Strategy> fetching_, settling_;
  std::vector<schedule::Candidate> chosen_;
  std::vector<uint32_t> links_;
};

}  // namespace

std::unique_ptr<CrawlOrder> BreadthFirst() { return std::make_unique<InOrderFound>(); }
std::unique_ptr<CrawlOrder> RandomOrder(uint64_t seed) { return std::make_unique<AtRandom>(seed); }
std::unique_ptr<CrawlOrder> InDegreeOrder(uint32_t pages) {
  return std::make_unique<MostLinked>(pages);
}
std::unique_ptr<CrawlOrder> OpicOrder(const Graph& graph, uint64_t settlements,
                                      double unread_share) {
  return std::make_unique<MostCash>(graph, settlements, unread_share);
}

}  // namespace opic::sim

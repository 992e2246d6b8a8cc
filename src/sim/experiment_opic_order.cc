#include "sim/experiment_opic_order.h"

#include <algorithm>

#include "base/check.h"

namespace opic::sim {
namespace {

constexpr int kSweepTurns = 16;  // without a choice; each lowers the threshold

}  // namespace

OpicOrder::OpicOrder(const graph::Graph& graph, uint64_t settlements, const BankOptions& bank)
    : graph_(graph),
      settlements_(settlements),
      number_(graph.pages()),
      bank_(bank),
      unread_pool_(bank_, &unread_),
      read_pool_(bank_, &read_),
      fetching_(schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep, 0)),
      settling_(schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep, 0)) {}

void OpicOrder::Found(uint32_t page) {
  number_[page] = bank_.AddPage();
  page_.push_back(page);
  unread_.push_back(1);
  read_.push_back(0);
  unread_pool_.set_eligible(++unread_count_);
}

void OpicOrder::Fetched(uint32_t page, absl::Span<const uint32_t>) {
  const uint32_t number = number_[page];
  unread_[number] = 0;
  read_[number] = 1;
  unread_pool_.set_eligible(--unread_count_);
  read_pool_.set_eligible(++read_count_);
  Pay(number);
  Settle();
}

uint32_t OpicOrder::Next() {
  if (bank_.visits() == 0) bank_.Sweep(bank_.pages());  // genesis: the virtual page pays the seeds
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

void OpicOrder::Settle() {
  chosen_.clear();
  settling_->Choose(read_pool_, settlements_, read_pool_.slots(), chosen_);
  for (const schedule::Candidate& candidate : chosen_) {
    Pay(static_cast<uint32_t>(candidate.page.id()));
  }
}

void OpicOrder::Pay(uint32_t number) {
  links_.clear();
  for (uint32_t link : graph_.LinksOf(page_[number])) links_.push_back(number_[link]);
  bank_.Visit(number, links_);
}

}  // namespace opic::sim

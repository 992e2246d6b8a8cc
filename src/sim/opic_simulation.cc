#include "sim/opic_simulation.h"

#include <algorithm>

namespace opic::sim {

cash::Amount BankPool::mean_cash() const {
  return cash::Amount(bank_.pages() == 0 ? 0 : bank_.on_pages().units() / bank_.pages());
}

bool BankPool::Walk(uint64_t slots_max, absl::FunctionRef<void(const schedule::Candidate&)> visit) {
  bool wrapped = false;
  for (uint64_t walked = 0; walked < slots_max && bank_.pages() > 0; ++walked) {
    const uint32_t page = at_;
    if (++at_ == bank_.pages()) at_ = 0, wrapped = true;
    if (eligible_ && !(*eligible_)[page]) continue;
    visit({PageId(ShardId{0}, page), bank_.CashOf(page)});
  }
  return wrapped;
}

void BankPool::Jump(uint64_t draw) {
  at_ = bank_.pages() == 0 ? 0 : static_cast<uint32_t>(draw % bank_.pages());
}

OpicSimulation::OpicSimulation(const graph::Graph& graph, const OpicOptions& options)
    : graph_(graph),
      batch_(options.batch != 0 ? options.batch : std::max<uint64_t>(1, graph.pages() / 256)),
      bank_(options.bank),
      pool_(bank_),
      strategy_(schedule::MakeStrategy(options.strategy, options.seed)) {
  for (uint64_t i = 0; i < graph.pages(); ++i) bank_.AddPage();
  if (options.genesis == Genesis::kEvenly) {
    bank_.EndowEvenly();
  } else {
    bank_.Sweep(bank_.pages());
  }
  if (options.strategy != schedule::StrategyKind::kGreedy || options.batch != 0) return;
  by_cash_.emplace(bank_.pages());
  for (uint32_t page = 0; page < bank_.pages(); ++page) Reorder(page);
}

void OpicSimulation::Run(uint64_t visits) {
  if (!by_cash_) return Choose(visits);
  for (; visits > 0; --visits) Visit(by_cash_->Top());
}

void OpicSimulation::Choose(uint64_t visits) {
  int idle_turns = 0;
  while (visits > 0) {
    chosen_.clear();
    strategy_->Choose(pool_, std::min(visits, batch_), pool_.slots(), chosen_);
    for (const schedule::Candidate& page : chosen_) Visit(static_cast<uint32_t>(page.page.id()));
    visits -= chosen_.size();
    idle_turns = chosen_.empty() ? idle_turns + 1 : 0;
    OPIC_CHECK(idle_turns < 10'000) << "the strategy chooses nothing";
  }
}

void OpicSimulation::Visit(uint32_t page) {
  const absl::Span<const uint32_t> links = graph_.LinksOf(page);
  uint32_t swept = bank_.sweep_at();
  bank_.Visit(page, links);
  if (!by_cash_) return;
  Reorder(page);
  for (const uint32_t link : links) Reorder(link);
  for (uint64_t met = std::min<uint64_t>(kSweepPerVisit, bank_.pages()); met > 0; --met) {
    Reorder(swept);
    if (++swept == bank_.pages()) swept = 0;
  }
}

void OpicSimulation::Reorder(uint32_t page) { by_cash_->Set(page, bank_.CashOf(page).units()); }

}  // namespace opic::sim

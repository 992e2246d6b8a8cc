#include "sim/push_simulation.h"

#include <cmath>

#include "base/check.h"

namespace opic::sim {

cash::Amount ReadPages::mean_cash() const {
  if (bank_.read_pages() == 0) return cash::Amount();
  return cash::Amount(static_cast<uint64_t>(bank_.read_cash_size() / bank_.read_pages()));
}

bool ReadPages::Walk(uint64_t slots_max,
                     absl::FunctionRef<void(const schedule::Candidate&)> visit) {
  bool wrapped = false;
  for (uint64_t walked = 0; walked < slots_max && bank_.pages() > 0; ++walked) {
    const uint32_t page = at_;
    if (++at_ == bank_.pages()) at_ = 0, wrapped = true;
    if (bank_.StateOf(page) != PageState::kRead) continue;
    const auto size = static_cast<uint64_t>(std::abs(bank_.CashOf(page)));
    visit({PageId(ShardId{0}, page), cash::Amount(size)});
  }
  return wrapped;
}

uint64_t PushSimulation::Settle(uint64_t visits) {
  uint64_t settled = 0;
  for (int fruitless = 0; settled < visits && bank_.read_cash_size() > 0;) {
    chosen_.clear();
    sweep_.Choose(read_, 1, read_.slots(), chosen_);
    // A threshold that fell to nothing also finds pages that have nothing.
    if (chosen_.empty() || chosen_.front().cash == cash::Amount()) {
      OPIC_CHECK(++fruitless < 10'000'000) << "the sweep finds no page with cash";
      continue;
    }
    fruitless = 0;
    SettleOne(static_cast<uint32_t>(chosen_.front().page.id()));
    ++settled;
  }
  return settled;
}

void PushSimulation::SettleOne(uint32_t page) {
  if (ahead_ == nullptr) return bank_.Settle(page);
  bank_.Settle(page, ahead_->Beyond(bank_.CashOf(page), !bank_.LinksOf(page).empty()));
  ahead_->Paid(bank_.read_cash_size());
}

uint64_t PushSimulation::SettleTo(double tau, uint64_t visits_max) {
  uint64_t settled = 0;
  while (settled<visits_max&& static_cast<double>(bank_.read_cash_size())> tau *
         static_cast<double>(bank_.base_sum())) {
    if (Settle(1) == 0) break;
    ++settled;
  }
  return settled;
}

}  // namespace opic::sim

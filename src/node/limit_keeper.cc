#include "node/limit_keeper.h"

#include "desk/counters.h"

namespace opic::node {

LimitKeeper::LimitKeeper(const CrawlOptions& options, base::Clock& clock)
    : bytes_max_(options.bytes_max),
      time_max_(options.time_max),
      stop_patience_(options.stop_patience),
      clock_(clock),
      began_(clock.Steady()),
      limits_{options.pages_max, static_cast<uint32_t>(options.fetch.in_flight_max)} {}

void LimitKeeper::Start(desk::OrderDesk& desk, uint64_t pages) {
  desk_ = &desk;
  desk_->CountEarlierPages(pages);
  Set(limits_);
}

void LimitKeeper::Set(const Limits& limits) {
  limits_ = limits;
  if (desk_ == nullptr) return;
  desk_->LimitPages(limits.pages);
  desk_->LimitFetches(static_cast<int>(limits.in_flight));
}

bool LimitKeeper::Reached() const {
  return desk_->pages_exhausted() ||
         (bytes_max_ > 0 && desk_->counters()[desk::Counter::kWireBytes] >= bytes_max_) ||
         TimeIsOver();
}

absl::Duration LimitKeeper::Overtime() const { return clock_.Steady() - began_ - time_max_; }

bool LimitKeeper::TimeIsOver() const { return Overtime() >= absl::ZeroDuration(); }

void LimitKeeper::HoldToTime() {
  if (!TimeIsOver()) return;
  desk_->AskNoMore();
  if (Overtime() >= stop_patience_ && desk_->in_flight() > 0) desk_->EndRequests();
}

}  // namespace opic::node

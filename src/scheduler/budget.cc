// Implements a part of scheduler_core.h. The rate of the whole: as started, as an operator has
// changed it, and how much of it the node says that holds.
#include "base/log.h"
#include "base/status_macros.h"
#include "scheduler/scheduler_core.h"

namespace opic::scheduler {

absl::Status SchedulerCore::TakeUpBudget() {
  ASSIGN_OR_RETURN(budget_, RecallBudget(store_));
  line_.SetRate(rate_in_force());
  rate_.SetRate(rate_in_force());
  if (budget_.pages_per_s) {
    base::LogInfo("--rate {} is in force, as `opic control budget` set it", *budget_.pages_per_s);
  }
  if (budget_.delay) {
    limits_.delay = *budget_.delay;
    base::LogInfo("--delay {} is in force, as `opic control budget` set it",
                  absl::FormatDuration(*budget_.delay));
  }
  return absl::OkStatus();
}

absl::Status SchedulerCore::SetBudget(std::optional<double> pages_per_s_max,
                                      std::optional<absl::Duration> delay) {
  BudgetMemory budget = budget_;
  if (pages_per_s_max) budget.pages_per_s = pages_per_s_max;
  if (delay) budget.delay = delay;
  RETURN_IF_ERROR(RememberBudget(store_, budget));
  budget_ = budget;
  if (pages_per_s_max) {
    SetRateFactor(rate_factor_);
    line_.SetRate(*pages_per_s_max);
  }
  if (delay) limits_.delay = *delay;
  return absl::OkStatus();
}

void SchedulerCore::SetRateFactor(double factor) {
  rate_factor_ = factor;
  rate_.SetRate(rate_in_force() * factor);
}

}  // namespace opic::scheduler

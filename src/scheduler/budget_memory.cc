#include "scheduler/budget_memory.h"

#include <bit>
#include <string>

#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::scheduler {
namespace {

constexpr char kBudgetKey[] = "scheduler.budget";  // docs/formats/scheduler_store.md
constexpr uint64_t kNotSet = ~uint64_t{0};

}  // namespace

absl::StatusOr<BudgetMemory> RecallBudget(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, kBudgetKey));
  BudgetMemory budget;
  if (!row) return budget;
  base::Decoder in(*row);
  const uint64_t rate = in.Big64(), delay = in.Big64();
  if (rate != kNotSet) budget.pages_per_s = std::bit_cast<double>(rate);
  if (delay != kNotSet) budget.delay = absl::Microseconds(static_cast<int64_t>(delay));
  if (!in.done() || !(budget.pages_per_s.value_or(0) >= 0) ||
      budget.delay.value_or(absl::ZeroDuration()) < absl::ZeroDuration())
    return absl::DataLossError(
        "the scheduler's store is damaged: what `opic control budget` has set cannot be read; "
        "restore the folder from a backup");
  return budget;
}

absl::Status RememberBudget(store::Store& store, const BudgetMemory& budget) {
  const uint64_t rate = budget.pages_per_s ? std::bit_cast<uint64_t>(*budget.pages_per_s) : kNotSet;
  const uint64_t delay =
      budget.delay ? static_cast<uint64_t>(absl::ToInt64Microseconds(*budget.delay)) : kNotSet;
  store::Batch batch;
  batch.Put(store::Table::kMeta, kBudgetKey, base::Big64(rate) + base::Big64(delay));
  return store.Write(batch, store::Sync::kYes);
}

}  // namespace opic::scheduler

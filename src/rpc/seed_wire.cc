#include "rpc/seed_wire.h"

#include "opic/v1/control.pb.h"

namespace opic::rpc {

// The values on the wire are one more: 0 is unspecified.
void ToWire(const node::SeedResults& results, SeedResultsWire* wire) {
  for (const node::SeedResult& result : results) {
    v1::SeedResult* told = wire->Add();
    told->set_outcome(static_cast<v1::SeedOutcome>(static_cast<int>(result.outcome) + 1));
    told->set_reason(result.reason);
  }
}

// A later release may have other outcomes.
node::SeedResults FromWire(const SeedResultsWire& wire) {
  node::SeedResults results;
  for (const v1::SeedResult& told : wire) {
    const bool known =
        told.outcome() > v1::SEED_OUTCOME_UNSPECIFIED && told.outcome() <= v1::SEED_OUTCOME_REFUSED;
    results.push_back(
        {known ? static_cast<node::SeedOutcome>(told.outcome() - 1) : node::SeedOutcome::kKnown,
         told.reason()});
  }
  return results;
}

static_assert(v1::SEED_OUTCOME_NEW == static_cast<int>(node::SeedOutcome::kNew) + 1);
static_assert(v1::SEED_OUTCOME_REFUSED == static_cast<int>(node::SeedOutcome::kRefused) + 1);

}  // namespace opic::rpc

// Shards that leave and arrive.
#include "ledger/ledger.h"

namespace opic::ledger {

absl::Status Ledger::Depart(ShardId /*shard*/, NodeId /*to*/, std::string_view /*hosts*/) {
  return absl::UnimplementedError("shards do not depart");
}

bool Ledger::Workable(ShardId shard) const { return placements_.Workable(shard); }

std::vector<DepartingShard> Ledger::departing() const { return {}; }

std::vector<ArrivedShard> Ledger::TakeArrived() { return {}; }

void Ledger::HostsApplied(ShardId shard) { placements_.HostsApplied(shard); }

absl::Status Ledger::Learn(absl::Span<const Placement> /*told*/) {
  return absl::UnimplementedError("no placement is learnt");
}

bool Ledger::IsNews(absl::Span<const Placement> told) const {
  for (const Placement& placement : told) {
    if (placements_.IsNews(placement)) return true;
  }
  return false;
}

std::vector<Placement> Ledger::PlacementsSince(uint64_t since) const {
  return placements_.Since(since);
}

}  // namespace opic::ledger

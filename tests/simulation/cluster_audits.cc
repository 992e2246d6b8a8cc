// Audits of the simulated cluster, in the middle of its traffic.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "cluster/cut_sum.h"
#include "tests/simulation/cluster_simulation.h"

namespace opic {

void ClusterSimulation::FinishAudit(Audit& audit) {
  std::vector<ledger::Cut> parts;
  for (std::optional<ledger::Cut>& part : audit.parts) parts.push_back(*std::move(part));
  const cluster::CutSum sum = cluster::SumOf(parts);
  const std::string supply = cash::ToString(map().CharterOf(NodeId{0}).supply.units());
  if (sum.torn) {
    ++events_.torn;
    EXPECT_GT(events_.crashes, audit.crashes_before) << "a cut was torn without a crash";
    return;
  }
  ++events_.audits;
  EXPECT_EQ(cash::ToString(sum.expected), supply);
  EXPECT_EQ(cash::ToString(sum.total()), supply) << "audit " << audit.epoch << ": a difference";
}

// Begins an audit now and then, and asks one node for its part of each that is on its way.
void ClusterSimulation::AuditSomewhere() {
  if (!IsSettled()) return;
  if (audits_.size() < 2 && Chance(0.05)) {
    last_epoch_ += 1 + rng_.Below(3);
    audits_.push_back(
        {last_epoch_, std::vector<std::optional<ledger::Cut>>(nodes_.size()), events_.crashes});
  }
  for (size_t i = 0; i < audits_.size(); ++i) {
    Audit& audit = audits_[i];
    Node& node = AnyNode();
    if (audit.parts[node.n] || !node.exchange || Chance(0.5)) continue;
    auto cut = node.exchange->TakeCut(audit.epoch);
    const bool aborted = absl::IsAborted(cut.status());
    if (cut.ok()) {
      Look(node);
      audit.parts[node.n] = *std::move(cut);
    } else if (!aborted) {
      node.failure = cut.status();
      Recover(node);
    }
    const bool whole = std::all_of(audit.parts.begin(), audit.parts.end(),
                                   [](const auto& part) { return part.has_value(); });
    if (whole) FinishAudit(audit);
    if (whole || aborted) audits_.erase(audits_.begin() + static_cast<ptrdiff_t>(i--));
  }
}

}  // namespace opic

#include "node/restatement.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ledger/equation.h"
#include "node/resting_ledger.h"

namespace opic::node {
namespace {

constexpr size_t kCorrectedAtOnce = 100'000;  // pages in one record

absl::Status CheckTogether(const std::vector<RestingLedger>& nodes) {
  const ledger::Charter& first = nodes.front().ledger->charter();
  if (first.method != importance::Method::kPush) {
    return absl::FailedPreconditionError(
        "the crawl was begun with --importance window, by which there is nothing to restate");
  }
  std::vector<bool> there(std::max<size_t>(nodes.size(), nodes.front().ledger->nodes()));
  for (const RestingLedger& node : nodes) {
    const ledger::Charter& charter = node.ledger->charter();
    if (charter.cluster_id != first.cluster_id)
      return absl::FailedPreconditionError("the folders are of different crawls");
    if (charter.node.value >= there.size() || there[charter.node.value])
      return absl::FailedPreconditionError(
          absl::StrCat("node ", charter.node.value, " has two folders among these"));
    there[charter.node.value] = true;
    if (!node.ledger->peers().Departing().empty() ||
        !node.ledger->placements().arriving().empty()) {
      return absl::FailedPreconditionError(
          "a shard is on its way between two nodes: start the cluster until it has arrived");
    }
  }
  const auto missing = std::find(there.begin(), there.end(), false);
  if (missing == there.end()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the folder of node ", missing - there.begin(),
                                                    " is missing: name all of them"));
}

// What one node has sealed for another and that one has not applied. They may never have met.
absl::Status AddUnderWay(const RestingLedger& from, const RestingLedger& to,
                         ledger::Equation& equation) {
  const NodeId sender = from.ledger->charter().node, receiver = to.ledger->charter().node;
  if (!from.ledger->peers().Has(receiver)) return absl::OkStatus();
  const uint64_t applied =
      to.ledger->peers().Has(sender) ? to.ledger->peers().book(sender).applied : 0;
  for (const ledger::Retained& retained : from.ledger->peers().retained(receiver)) {
    if (retained.sequence <= applied) continue;
    ASSIGN_OR_RETURN(const std::string bytes,
                     from.ledger->SealedBytes(receiver, retained.sequence));
    ASSIGN_OR_RETURN(const ledger::TransferBatch batch, ledger::DecodeTransferBatch(bytes));
    for (const ledger::Transfer& transfer : batch.transfers) {
      equation.AddUnderWay(transfer.page, transfer.amount);
    }
  }
  return absl::OkStatus();
}

// Of each shard, the folder that has it; null: none has a page of it. A folder at rest does not
// know the cluster's map, and takes any shard for its own that it knows no move of. So the latest
// move holds, and of a shard that never moved, whose table has pages of it.
std::vector<const RestingLedger*> HoldersOfShards(const std::vector<RestingLedger>& nodes) {
  if (nodes.size() == 1) return std::vector(nodes.front().ledger->charter().shards, &nodes.front());
  std::vector<const RestingLedger*> holders;
  for (uint32_t s = 0; s < nodes.front().ledger->charter().shards; ++s) {
    const auto claim = [shard = ShardAt(s)](const RestingLedger& node) {
      const ledger::Placements& placements = node.ledger->placements();
      return std::tuple(placements.Owns(shard), placements.move(shard),
                        node.ledger->books().table().totals(shard).pages);
    };
    const auto holder = std::max_element(
        nodes.begin(), nodes.end(),
        [&](const auto& one, const auto& other) { return claim(one) < claim(other); });
    const auto [owns, move, pages] = claim(*holder);
    holders.push_back(owns && (move > 0 || pages > 0) ? &*holder : nullptr);
  }
  return holders;
}

// That restating is due is forgotten with the last of the corrections.
absl::Status Correct(ledger::Ledger& ledger, absl::Span<const ledger::Drift> drifts) {
  for (; drifts.size() > kCorrectedAtOnce; drifts.remove_prefix(kCorrectedAtOnce)) {
    ledger.Correct(drifts.subspan(0, kCorrectedAtOnce));
    RETURN_IF_ERROR(ledger.Commit().status());
  }
  ledger.Correct(drifts);
  ledger.restating().Restated();
  RETURN_IF_ERROR(ledger.Commit().status());
  return ledger.Checkpoint(/*all=*/true);
}

// A shard of which no folder has a page, as after one was lost: nobody would get what its pages
// lack.
absl::Status CheckHolders(absl::Span<const RestingLedger* const> holders,
                          absl::Span<const ledger::Drift> drifts) {
  for (const ledger::Drift& drift : drifts) {
    const ShardId shard = drift.page.shard();
    if (holders[shard.value] != nullptr) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("no folder has a page of shard ", shard.value,
                     ", which others link to: let the nodes run until its pages are known again, "
                     "or restate the running cluster (opic restate --cluster)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Restatement> Restate(const std::vector<std::unique_ptr<DataFolder>>& folders,
                                    bool correct) {
  std::vector<RestingLedger> nodes;
  for (const auto& folder : folders) {
    ASSIGN_OR_RETURN(RestingLedger node, RestingLedger::Open(*folder, /*writing=*/correct));
    nodes.push_back(std::move(node));
  }
  RETURN_IF_ERROR(CheckTogether(nodes));
  const ledger::Charter& charter = nodes.front().ledger->charter();
  ledger::Equation equation(charter);
  for (const RestingLedger& node : nodes) {
    RETURN_IF_ERROR(equation.Add(*node.ledger, *node.store));
    for (const RestingLedger& other : nodes) {
      if (&node != &other) RETURN_IF_ERROR(AddUnderWay(node, other, equation));
    }
  }
  const std::vector<ledger::Drift> drifts = equation.Drifts();
  Restatement found{.pages = equation.pages(), .links = equation.links(), .off = drifts.size()};
  double sum = 0;
  for (const ledger::Drift& drift : drifts) {
    const double amount = std::abs(static_cast<double>(drift.amount));
    sum += amount;
    found.largest = std::max(found.largest, amount / static_cast<double>(charter.base.units()));
  }
  const auto flow = static_cast<double>(equation.flow());
  if (flow > 0) found.error = std::min(2.0, sum / flow / charter.epsilon.share());
  if (!correct) return found;
  const std::vector<const RestingLedger*> holders = HoldersOfShards(nodes);
  RETURN_IF_ERROR(CheckHolders(holders, drifts));
  for (const RestingLedger& node : nodes) {
    std::vector<ledger::Drift> own;
    for (const ledger::Drift& drift : drifts) {
      if (holders[drift.page.shard().value] == &node) own.push_back(drift);
    }
    RETURN_IF_ERROR(Correct(*node.ledger, own));
  }
  found.corrected = true;
  return found;
}

}  // namespace opic::node

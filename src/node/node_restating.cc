// A node's part of restating its cluster while it runs.
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "node/node.h"

namespace opic::node {

absl::Status Node::PrepareRestating(uint64_t epoch) {
  auto restating = std::make_shared<absl::StatusOr<std::shared_ptr<ledger::Restating>>>();
  RETURN_IF_ERROR(DoOnLedger([this, restating, epoch] {
    *restating = ledger_->restating().Prepare(epoch);
    if (!restating->ok() || options_.membership) return restating->status();
    RETURN_IF_ERROR(ledger_->Commit().status());
    ledger_->EnterEpoch(epoch);
    return absl::OkStatus();
  }));
  restatement_.Prepare(**std::move(restating));
  return absl::OkStatus();
}

absl::StatusOr<ledger::Restating::Claims> Node::ClaimsFor(uint64_t epoch, NodeId peer,
                                                          uint64_t part) {
  ASSIGN_OR_RETURN(const std::shared_ptr<ledger::Restating> restating, restatement_.At(epoch));
  return restating->ClaimsFor(peer, part);
}

absl::Status Node::AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                             absl::Span<const ledger::Drift> claims) {
  ASSIGN_OR_RETURN(const std::shared_ptr<ledger::Restating> restating, restatement_.At(epoch));
  return restating->AddClaims(from, part, claims);
}

void Node::ForgetRestating() {
  restatement_.Stop();
  OnLedger([this] { ledger_->restating().Forget(); }).IgnoreError();  // the node stops
}

// By windows nothing is to be corrected.
absl::StatusOr<RestatedPart> Node::EndRecovery() {
  RETURN_IF_ERROR(DoOnLedger([this] {
    ledger_->restating().Restated();
    return ledger_->Commit().status();
  }));
  return RestatedPart{.done = true};
}

absl::StatusOr<RestatedPart> Node::EndRestating(const RestatementEnd& end) {
  if (charter().method == importance::Method::kWindow) return EndRecovery();
  for (const auto& [peer, sealed] : end.sealed) {
    if (!ledger_->peers().Has(peer)) return absl::InvalidArgumentError("there is no such peer");
    uint64_t applied = 0;
    RETURN_IF_ERROR(
        OnLedger([this, &applied, peer = peer] { applied = ledger_->peers().book(peer).applied; }));
    if (applied >= sealed) continue;
    return absl::UnavailableError(
        absl::StrCat("batches of node ", peer.value, " are on their way"));
  }
  absl::StatusOr<RestatedPart> part =
      restatement_.End(end.epoch, *ledger_, end.correct, end.per_second);
  if (end.forget) ForgetRestating();
  return part;
}

}  // namespace opic::node

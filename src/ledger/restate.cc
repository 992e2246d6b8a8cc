// Restating while the crawl goes on: the ledger's side (ledger/restating.h).
#include "base/status_macros.h"
#include "ledger/ledger.h"

namespace opic::ledger {

absl::StatusOr<std::shared_ptr<Restating>> Ledger::PrepareRestating(uint64_t epoch) {
  if (charter_.method != importance::Method::kPush) {
    return absl::FailedPreconditionError(
        "the crawl was begun with the paper's windows, which have no equation to restate");
  }
  if (epoch <= cut_.epoch) return absl::AbortedError("a later epoch has begun; try again");
  restating_ = std::make_shared<Restating>(charter_, epoch);
  return restating_;
}

void Ledger::BeginRestating() {
  if (cut_.epoch != restating_->epoch())
    return SpoilRestating("another cut came before; try again");
  if (!placements_.arriving().empty() || !departing().empty()) {
    SpoilRestating("a shard is on its way between two nodes; try again when it has arrived");
  }
  std::vector<NodeId> owners;
  for (uint32_t s = 0; s < charter_.shards; ++s) {
    owners.push_back(OwnerOf(ShardId{static_cast<uint16_t>(s)}));
  }
  roundings_at_cut_ = books_.table().roundings();
  restating_->Begin(books_.table(), held_.All(), store_, std::move(owners));
}

void Ledger::SpoilRestating(const std::string& why) {
  if (restating_) restating_->Spoil(why);
}

// What is posted on was sealed before the cut by one node, and is sealed after it by this one.
void Ledger::CountUnderWay(const TransferBatch& batch) {
  if (!restating_ || !restating_->begun()) return;
  if (batch.consignment) SpoilRestating("a shard was moved meanwhile; try again");
  if (batch.epoch >= restating_->epoch()) return;
  for (const Transfer& transfer : batch.transfers) {
    if (!Own(transfer.page)) return SpoilRestating("a shard was moved meanwhile; try again");
    restating_->AddUnderWay(transfer.page, transfer.amount);
  }
}

void Ledger::SetRestateDue(bool due) {
  if (due == restate_due_) return;
  restate_due_ = due;
  restate_due_changed_ = true;
}

void Ledger::Restated() {
  SetRestateDue(false);
  page_table::PageTable& table = books_.table();
  table.SetRoundings(restating_ ? table.roundings().Since(roundings_at_cut_)
                                : page_table::Roundings());
  roundings_written_ = 0;
  ForgetRestating();
}

// Now and then: they are an estimate.
void Ledger::WriteRoundings(store::Batch& batch) {
  if (charter_.method != importance::Method::kPush) return;
  const page_table::Roundings& roundings = books_.table().roundings();
  const uint64_t credits = roundings.credits();
  if (credits < roundings_written_ + roundings_written_ / 10 || credits == 0) return;
  batch.Put(store::Table::kMeta, kRoundingsKey, roundings.Encode());
  roundings_written_ = credits;
}

absl::Status Ledger::LoadRoundings() {
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kMeta, kRoundingsKey));
  page_table::Roundings roundings;
  if (bytes) {
    ASSIGN_OR_RETURN(roundings, page_table::Roundings::Decode(*bytes));
  }
  books_.table().SetRoundings(roundings);
  roundings_written_ = roundings.credits();
  return absl::OkStatus();
}

}  // namespace opic::ledger

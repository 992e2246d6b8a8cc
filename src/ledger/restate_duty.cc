#include "ledger/restate_duty.h"

#include <utility>

#include "base/damaged_folder.h"
#include "base/status_macros.h"

namespace opic::ledger {

RestateDuty::RestateDuty(const Charter& charter, store::Store& store, Books& books,
                         const Peers& peers, const Placements& placements, const HeldCash& held,
                         const Cut& cut)
    : charter_(charter),
      store_(store),
      books_(books),
      peers_(peers),
      placements_(placements),
      held_(held),
      cut_(cut) {}

absl::Status RestateDuty::Load() {
  ASSIGN_OR_RETURN(const std::optional<std::string> due,
                   store_.Get(store::Table::kMeta, kRestateDueKey));
  due_ = due.has_value();
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kMeta, kRoundingsKey));
  page_table::Roundings roundings;
  if (bytes) {
    absl::StatusOr<page_table::Roundings> counted = page_table::Roundings::Decode(*bytes);
    if (!counted.ok()) return base::DamagedFolder("its counts of roundings cannot be read");
    roundings = *std::move(counted);
  }
  books_.table().SetRoundings(roundings);
  roundings_written_ = roundings.credits();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Restating>> RestateDuty::Prepare(uint64_t epoch) {
  if (charter_.method != importance::Method::kPush) {
    return absl::FailedPreconditionError(
        "the crawl was begun with --importance window, by which there is nothing to restate");
  }
  if (epoch <= cut_.epoch) return absl::AbortedError("a later epoch has begun; try again");
  restating_ = std::make_shared<Restating>(charter_, epoch);
  return restating_;
}

void RestateDuty::EpochHasBegun() {
  if (restating_ && !restating_->begun()) Begin();
}

void RestateDuty::Begin() {
  if (cut_.epoch != restating_->epoch()) return Spoil("another cut came before; try again");
  if (!placements_.arriving().empty() || !peers_.Departing().empty()) {
    Spoil("a shard is on its way between two nodes; try again when it has arrived");
  }
  std::vector<NodeId> owners;
  for (uint32_t s = 0; s < charter_.shards; ++s) {
    owners.push_back(placements_.OwnerOf(ShardAt(s)));
  }
  roundings_at_cut_ = books_.table().roundings();
  held_at_cut_ = books_.table().HeldNow();
  losses_at_cut_ = losses_;
  restating_->Begin(books_.table(), held_.All(), store_, std::move(owners));
}

void RestateDuty::Spoil(const std::string& why) {
  if (restating_) restating_->Spoil(why);
}

// What is posted on was sealed before the cut by one node, and is sealed after it by this one.
void RestateDuty::CountUnderWay(const TransferBatch& batch) {
  if (!restating_ || !restating_->begun()) return;
  if (batch.chunk) Spoil("a shard was moved meanwhile; try again");
  if (batch.epoch >= restating_->epoch()) return;
  for (const Transfer& transfer : batch.transfers) {
    if (!placements_.Owns(transfer.page.shard()))
      return Spoil("a shard was moved meanwhile; try again");
    restating_->AddUnderWay(transfer.page, transfer.amount);
  }
}

void RestateDuty::SetDue(bool due) {
  if (due == due_) return;
  due_ = due;
  due_changed_ = true;
}

void RestateDuty::Restated() {
  if (!restating_ || losses_ == losses_at_cut_) SetDue(false);
  page_table::PageTable& table = books_.table();
  table.SetRoundings(restating_ ? table.roundings().Since(roundings_at_cut_, held_at_cut_)
                                : table.HeldNow());
  roundings_reset_ = true;
  restating_.reset();
}

void RestateDuty::WriteTo(store::Batch& batch) {
  if (due_changed_ && due_) batch.Put(store::Table::kMeta, kRestateDueKey, "");
  if (due_changed_ && !due_) batch.Delete(store::Table::kMeta, kRestateDueKey);
  WriteRoundings(batch);
}

// Now and then: they are an estimate.
void RestateDuty::WriteRoundings(store::Batch& batch) {
  if (charter_.method != importance::Method::kPush) return;
  const page_table::Roundings& roundings = books_.table().roundings();
  const uint64_t credits = roundings.credits();
  const bool grown = credits > 0 && credits >= roundings_written_ + roundings_written_ / 10;
  if (!grown && !roundings_reset_) return;
  batch.Put(store::Table::kMeta, kRoundingsKey, roundings.Encode());
  roundings_written_ = credits;
}

}  // namespace opic::ledger

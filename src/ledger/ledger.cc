#include "ledger/ledger.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ledger/recovery.h"

namespace opic::ledger {
namespace {

// Amounts below it are not looked up: a page would need a million batches to hold too much.
constexpr uint64_t kLookedUpMin = cash::kSupply.magnitude() >> 20;

// Whether a page would hold or owe more than there can be: with what the batch brings, what the
// table and the present group have for it, and what is held.
bool Overpays(const TransferBatch& batch, const page_table::PageTable& table,
              const std::vector<page_table::Credit>& credits, const HeldCash& held) {
  absl::flat_hash_map<PageId, cash::Sum> sums;
  const auto begin = [&](PageId page, cash::Amount amount) {
    if (amount.magnitude() >= kLookedUpMin) sums[page] += amount.units();
  };
  for (const Transfer& transfer : batch.transfers) begin(transfer.page, transfer.amount);
  if (batch.chunk) {
    for (const MovedPage& moved : batch.chunk->pages) begin(moved.page, moved.cash.value());
  }
  if (sums.empty()) return false;
  const auto add = [&](PageId page, cash::Amount amount) {
    const auto sum = sums.find(page);
    if (sum != sums.end()) sum->second += amount.units();
  };
  for (const page_table::Credit& credit : credits) add(credit.page, credit.amount);
  for (const auto& [page, amount] : held.All()) add(page, amount);
  return std::any_of(sums.begin(), sums.end(), [&](const auto& sum) {
    const std::optional<page_table::Page> known = table.Find(sum.first);
    const cash::Sum all = sum.second + (known ? known->cash.value().units() : 0);
    return all > cash::kHoldingMax.units() || all < -cash::Sum{cash::kHoldingMax.units()};
  });
}

Charter WithReferrers(Charter charter, bool referrers) {
  charter.referrers |= referrers;
  return charter;
}

}  // namespace

Ledger::Ledger(const Options& options, store::Store& store, const Charter& charter)
    : options_(options),
      store_(store),
      charter_(WithReferrers(charter, options.referrers)),
      window_(charter.window),
      books_(charter.shards, charter.supply, charter.genesis),
      peers_(charter.node, options.nodes, charter.cluster_id, options.batch_bytes_max,
             charter.method),
      view_(books_, peers_),
      accounting_(MakeAccounting(
          charter, {options.nodes, options.unread_share, options.instalment_pages_max}, view_)),
      placements_(charter.node, charter.shards, options.owner),
      kept_(options.kept_rows_bytes),
      delivery_(books_, view_, *accounting_, placements_, group_, counts_, charter_.referrers),
      visits_(charter_, window_, store_, kept_, books_, *accounting_, delivery_, group_, counts_),
      sealing_(options_, books_, peers_, placements_, *accounting_, delivery_, group_, counts_),
      restating_(charter_, store_, books_, peers_, placements_, delivery_.held(), cut_),
      moves_(options_, charter_, window_, store_, books_, peers_, *accounting_, placements_,
             delivery_, restating_, group_),
      charter_outdated_(charter.format_version != charter_.written_version()),
      persistence_(options_, charter_, store) {
  if (options.credit_helper) books_.table().UseHelper();
}

absl::StatusOr<std::optional<Charter>> Ledger::StoredCharter(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> stored,
                   store.Get(store::Table::kMeta, kCharterKey));
  if (!stored) return std::nullopt;
  ASSIGN_OR_RETURN(Charter charter, Charter::Decode(*stored));
  return charter;
}

absl::StatusOr<std::unique_ptr<Ledger>> Ledger::Open(const Options& options, store::Store& store,
                                                     const Charter* wanted) {
  ASSIGN_OR_RETURN(const std::optional<Charter> stored, StoredCharter(store));
  if (!stored && (wanted == nullptr || options.read_only)) {
    return absl::NotFoundError("there is no crawl in this data folder");
  }
  if (wanted != nullptr) RETURN_IF_ERROR(wanted->Validate());
  if (stored && wanted != nullptr) RETURN_IF_ERROR(stored->AgreesWith(*wanted));
  std::unique_ptr<Ledger> ledger(new Ledger(options, store, stored ? *stored : *wanted));
  RETURN_IF_ERROR(ledger->OpenFolder(stored.has_value()));
  return ledger;
}

absl::Status Ledger::OpenFolder(bool stored) {
  Recovery recovery({charter_, store_, books_, peers_, *accounting_, moves_, delivery_.held(),
                     restating_, persistence_});
  if (stored) {
    ASSIGN_OR_RETURN(recovery_, recovery.Recover());
  }
  // Sound, as far as reading tells; nothing was changed so far.
  if (options_.read_only) return absl::OkStatus();
  if (!stored) RETURN_IF_ERROR(persistence_.ExpectNothing("it has rows and no charter"));
  RETURN_IF_ERROR(store_.BeginWriting());
  RETURN_IF_ERROR(persistence_.BeginWriting());
  return stored ? absl::OkStatus() : recovery.Genesis();
}

std::optional<double> Ledger::RecordedImportance(PageId page) const {
  const auto changed = group_.rows.find(page);
  const std::optional<page_table::Page> known = books_.table().Find(page);
  if (changed == group_.rows.end() || !known) return std::nullopt;
  return accounting_->Estimate(changed->second.row().history, known->cash.value());
}

absl::StatusOr<Receipt> Ledger::Receive(const TransferBatch& batch) {
  const auto refuse = [&](absl::string_view why) {
    return absl::FailedPreconditionError(
        absl::StrCat("batch ", batch.sequence, " of node ", batch.from.value, " ", why));
  };
  if (batch.cluster_id != charter_.cluster_id) return refuse("is of another cluster");
  if (batch.to != charter_.node || !peers_.Has(batch.from)) return refuse("is for another node");
  const PeerBook& book = peers_.working(batch.from);
  if (batch.sequence <= book.applied) return Receipt::kRepeated;
  if (batch.sequence > book.applied + 1) return Receipt::kAhead;
  if (batch.cash_before != book.applied_cash) {
    return refuse(absl::StrCat("begins at the sum ", cash::ToString(batch.cash_before),
                               ", here it stands at ", cash::ToString(book.applied_cash)));
  }
  const cash::Sum carried = batch.Carried();
  if (batch.cash_after != batch.cash_before + carried)
    return refuse("carries another sum than it says");
  if (const absl::Status sound = accounting_->Check(batch); !sound.ok()) {
    return refuse(sound.message());
  }
  for (const Transfer& transfer : batch.transfers) {
    if (transfer.page.shard().value >= charter_.shards)
      return refuse(absl::StrCat("names shard ", transfer.page.shard().value,
                                 ", which does not exist: the cluster has ", charter_.shards));
  }
  if (batch.chunk) {
    const absl::Status sound = moves_.CheckChunk(*batch.chunk);
    if (!sound.ok()) return refuse(sound.message());
  }
  if (Overpays(batch, books_.table(), group_.credits, delivery_.held())) {
    return refuse("would make a page hold or owe more than there can be");
  }
  restating_.CountUnderWay(batch);
  peers_.Applied(batch);
  peers_.Hear(batch.from, batch.sums);
  books_.Received(carried);
  group_.brought += batch.Magnitude();
  books_.PayVirtualPage(batch.to_virtual_page);
  if (batch.chunk) moves_.TakeChunk(batch.from, *batch.chunk);
  for (const Transfer& transfer : batch.transfers) delivery_.Take(transfer);
  return Receipt::kTaken;
}

absl::Status Ledger::BeginAnew(NodeId peer, uint32_t generation) {
  if (peers_.working(peer).generation == generation) return absl::OkStatus();
  RETURN_IF_ERROR(peers_.BeginAnew(peer, generation, store_));
  delivery_.ForgetAnnounced();  // the new folder knows no page
  restating_.RecordsWereLost();
  moves_.SenderWasLost(peer);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Ledger::SealedBytes(NodeId to, uint64_t sequence) const {
  ASSIGN_OR_RETURN(std::optional<std::string> bytes,
                   store_.Get(store::Table::kOutbox, KeyOfSealed(to, sequence)));
  if (!bytes) return absl::NotFoundError("the batch is not in the outbox");
  // What is damaged here must not look like the fault of who receives it, or of the way there.
  if (!DecodeTransferBatch(*bytes).ok()) {
    return absl::DataLossError(absl::StrCat("batch ", sequence, " to node ", to.value,
                                            " is damaged in the outbox; restore the data folder "
                                            "from a backup, or declare it lost"));
  }
  return *std::move(bytes);
}

}  // namespace opic::ledger

// opic-modules: ledger store importance page_table url cash base
// The input as each of the small rows that a ledger reads when it starts: the charter, where a
// shard is, what the trimmed journal noted, cash held for a page, how often cells were rounded, and
// the keys of peers and of sealed batches; and with the checksum it should have. And as drifts that
// another process tells.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "ledger/charter.h"
#include "ledger/drift.h"
#include "ledger/held_cash.h"
#include "ledger/peer_book.h"
#include "ledger/placements.h"
#include "ledger/rows.h"
#include "ledger/trim_note.h"
#include "page_table/roundings.h"
#include "store/store.h"
#include "tests/support/memory_store.h"

namespace opic::ledger {
namespace {

constexpr uint32_t kShards = 1024;

void CheckCharter(std::string_view bytes) {
  const auto charter = Charter::Decode(bytes);
  if (!charter.ok()) return;
  OPIC_CHECK(charter->Validate().ok());
  const std::string once = charter->Encode();
  const auto again = Charter::Decode(once);
  OPIC_CHECK(again.ok() && again->Encode() == once && again->AgreesWith(*charter).ok());
}

void CheckShardRow(std::string_view bytes) {
  const auto row = DecodeShardRow(bytes);
  if (row.ok()) OPIC_CHECK(DecodeShardRow(Encode(*row)).value() == *row);
}

void CheckTrimNote(std::string_view bytes) {
  const auto note = DecodeTrimNote(bytes, kShards);
  if (!note.ok()) return;
  OPIC_CHECK(note->journal_begin > 0 && note->positions.size() <= bytes.size());
  for (const auto& [shard, position] : note->positions) OPIC_CHECK(shard.value < kShards);
  OPIC_CHECK(Encode(DecodeTrimNote(Encode(*note), kShards).value()) == Encode(*note));
}

void CheckRoundings(std::string_view bytes) {
  const auto roundings = page_table::Roundings::Decode(bytes);
  if (!roundings.ok()) return;
  OPIC_CHECK(page_table::Roundings::Decode(roundings->Encode()).value() == *roundings);
}

void CheckDrifts(std::string_view bytes) {
  const auto drifts = DecodeDrifts(bytes);
  if (!drifts.ok()) return;
  OPIC_CHECK(drifts->size() <= bytes.size());
  OPIC_CHECK(DecodeDrifts(Encode(*drifts)).value() == *drifts);
}

void CheckKeys(std::string_view bytes) {
  if (const auto peer = PeerOfKey(bytes); peer.ok()) OPIC_CHECK(KeyOfPeer(*peer) == bytes);
  const auto sealed = SealedOfKey(bytes);
  if (sealed.ok()) OPIC_CHECK(KeyOfSealed(sealed->first, sealed->second) == bytes);
}

// As the row of one shard and of one page in a store.
void CheckLoading(std::string_view bytes) {
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  const PageId page(ShardId{1}, 2);
  store::Batch batch;
  batch.Put(store::Table::kMeta, KeyOfShardRow(ShardId{1}), std::string(bytes));
  batch.Put(store::Table::kMeta, "held/" + KeyOf(page), std::string(bytes));
  OPIC_CHECK(store->Write(batch, store::Sync::kNo).ok());
  Placements placements(NodeId{0}, 2, nullptr);
  placements.Load(*store).IgnoreError();
  HeldCash held;
  if (!held.Load(*store).ok()) return;
  OPIC_CHECK(held.pages() == 1);
  std::string amount;
  base::AppendZigzag(amount, held.Take(page).units());
  OPIC_CHECK(amount.size() <= bytes.size());
}

void Check(std::string_view bytes) {
  CheckCharter(bytes);
  CheckShardRow(bytes);
  CheckTrimNote(bytes);
  CheckRoundings(bytes);
  CheckDrifts(bytes);
  CheckKeys(bytes);
  CheckLoading(bytes);
}

}  // namespace
}  // namespace opic::ledger

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  opic::ledger::Check(input);
  std::string summed(input);
  opic::base::AppendFixed64(summed, opic::base::Hash64(summed));
  opic::ledger::Check(summed);
  return 0;
}

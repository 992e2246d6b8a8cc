// Implements a part of page_table/page_table.h. Checkpoints of a table's shards.
#include "base/check.h"
#include "base/status_macros.h"
#include "page_table/arena.h"
#include "page_table/checkpoint.h"
#include "page_table/page_table.h"
#include "page_table/shard.h"
#include "page_table/shard_copies.h"

namespace opic::page_table {

namespace {

void SaveShard(ShardId shard, const ShardTotals& totals, const Shard* pages,
               absl::FunctionRef<void(std::string_view)> write) {
  CheckpointWriter writer({shard, totals.pages, totals.done, totals.cash, totals.in_debt > 0},
                          write);
  if (pages != nullptr) {
    pages->ForEachSorted([&](uint64_t id, State state) { writer.Add(id, state); });
  }
  writer.Finish();
}

}  // namespace

ShardCopies::ShardCopies() : arena_(std::make_unique<Arena>()) {}
ShardCopies::~ShardCopies() = default;

void ShardCopies::Save(size_t index, absl::FunctionRef<void(std::string_view)> write) const {
  const Copy& copy = copies_[index];
  SaveShard(shards_[index], copy.totals, copy.pages.get(), write);
}

std::unique_ptr<const ShardCopies> PageTable::Copy(absl::Span<const ShardId> shards) const {
  std::unique_ptr<ShardCopies> copies(new ShardCopies);
  for (ShardId shard : shards) {
    const Shard* pages = ShardOf(shard);
    copies->shards_.push_back(shard);
    copies->copies_.push_back(
        {shard_totals_[shard.value], pages == nullptr ? nullptr : pages->CopyIn(*copies->arena_)});
  }
  return copies;
}

void PageTable::Save(ShardId shard, absl::FunctionRef<void(std::string_view)> write) const {
  SaveShard(shard, shard_totals_[shard.value], ShardOf(shard), write);
}

absl::Status PageTable::Load(ShardId shard, std::string_view bytes) {
  OPIC_CHECK(ShardOf(shard) == nullptr) << "loading over pages that are known";
  absl::Status status = LoadPages(shard, bytes);
  if (!status.ok()) Drop(shard);
  return status;
}

absl::Status PageTable::LoadPages(ShardId shard, std::string_view bytes) {
  ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(bytes));
  if (reader.header().shard != shard) {
    return absl::DataLossError(absl::StrCat("it is one of shard ", reader.header().shard.value));
  }
  if (reader.header().pages > 0) {
    shards_[shard.value] = std::make_unique<Shard>(shard, *arena_);
    shards_[shard.value]->Reserve(reader.header().pages);
  }
  uint64_t id;
  State state;
  while (reader.Next(id, state)) AddNew(PageId(shard, id), state);
  return reader.Finish();
}

void PageTable::Drop(ShardId shard) {
  ShardTotals& part = shard_totals_[shard.value];
  totals_.pages -= part.pages;
  totals_.done -= part.done;
  totals_.ordered -= part.ordered;
  totals_.in_debt -= part.in_debt;
  totals_.cash -= part.cash;
  totals_.bytes -= part.bytes;
  if (Shard* pages = ShardOf(shard)) {
    pages->ForEach(0, kPageIdCount, [&](uint64_t, Place place) {
      const DoneSums gone = DoneSumsOf(place.Get());
      totals_.done_cash -= gone.done_cash;
      totals_.done_magnitude -= gone.done_magnitude;
      totals_.done_deviation -= gone.done_deviation;
    });
  }
  part = ShardTotals();
  shards_[shard.value].reset();
}

}  // namespace opic::page_table

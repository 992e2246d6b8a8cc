// Implements a part of page_table/page_table.h. Checkpoints of a table's shards.
#include <utility>
#include <vector>

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

void AddTo(CashSums& sums, const CashSums& more, int sign) {
  sums.done_cash += sign * more.done_cash;
  sums.done_magnitude += sign * more.done_magnitude;
  sums.done_deviation += sign * more.done_deviation;
  sums.undone_debt += sign * more.undone_debt;
}

}  // namespace

ShardCopies::ShardCopies()
    : arena_(std::make_unique<Arena>()), blocks_(std::make_unique<BlockCopies>(*arena_)) {}
ShardCopies::~ShardCopies() = default;

void ShardCopies::Save(size_t index, absl::FunctionRef<void(std::string_view)> write) const {
  const Copy& copy = copies_[index];
  SaveShard(shards_[index], copy.totals, copy.pages.get(), write);
}

void PageTable::BeginCopy(absl::Span<const ShardId> shards) {
  OPIC_CHECK(copies_ == nullptr) << "two copies of a table at once";
  copies_.reset(new ShardCopies);
  for (ShardId shard : shards) {
    const Shard* pages = ShardOf(shard);
    copies_->shards_.push_back(shard);
    copies_->copies_.push_back({shard_totals_[shard.value],
                                pages == nullptr ? nullptr : pages->CopyBy(*copies_->blocks_)});
  }
  arena_->TellOfChanges(copies_->blocks_.get());
}

std::unique_ptr<const ShardCopies> PageTable::CopySome(uint64_t bytes_max) {
  OPIC_CHECK(copies_ != nullptr) << "no copy of the table was begun";
  if (!copies_->blocks_->CopySome(bytes_max)) return nullptr;
  arena_->TellOfChanges(nullptr);
  return std::move(copies_);
}

void PageTable::Save(ShardId shard, absl::FunctionRef<void(std::string_view)> write) const {
  SaveShard(shard, shard_totals_[shard.value], ShardOf(shard), write);
}

absl::Status PageTable::Load(ShardId shard, base::ByteSource& bytes) {
  OPIC_CHECK(ShardOf(shard) == nullptr) << "loading over pages that are known";
  absl::Status status = LoadPages(shard, bytes);
  if (!status.ok()) shards_[shard.value].reset();  // nothing of it was counted
  return status;
}

absl::Status PageTable::LoadPages(ShardId shard, base::ByteSource& bytes) {
  ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(bytes));
  const CheckpointHeader& header = reader.header();
  if (header.shard != shard) {
    return absl::DataLossError(absl::StrCat("it is one of shard ", header.shard.value));
  }
  if (header.pages == 0) return reader.Finish();
  shards_[shard.value] = std::make_unique<Shard>(shard, *arena_);
  Shard& pages = *shards_[shard.value];
  pages.Reserve(header.pages);
  std::vector<std::pair<uint64_t, State>> crowded;  // whose first line is full
  uint64_t in_debt = 0;
  CashSums sums;
  uint64_t id;
  State state;
  while (reader.Next(id, state)) {
    if (!pages.AddAtHome(id, state)) crowded.emplace_back(id, state);
    in_debt += uint64_t{state.cash.in_debt()};
    if (state.done || state.cash.in_debt()) AddTo(sums, SumsOf(state), 1);
  }
  RETURN_IF_ERROR(reader.Finish());
  for (const auto& [page, its_state] : crowded) pages.Add(page, its_state);
  ShardTotals& part = shard_totals_[shard.value];
  part = {.pages = header.pages,
          .done = header.done,
          .in_debt = in_debt,
          .cash = header.cash,
          .bytes = pages.bytes()};
  totals_.pages += part.pages;
  totals_.done += part.done;
  totals_.in_debt += part.in_debt;
  totals_.cash += part.cash;
  totals_.bytes += part.bytes;
  AddTo(totals_, sums, 1);
  return absl::OkStatus();
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
    pages->ForEach(0, kPageIdCount,
                   [&](uint64_t, Place place) { AddTo(totals_, SumsOf(place.Get()), -1); });
  }
  part = ShardTotals();
  shards_[shard.value].reset();
}

}  // namespace opic::page_table

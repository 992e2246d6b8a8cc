#include "node/cell_copy.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr uint64_t kCellBytes = sizeof(uint64_t) + sizeof(uint32_t);
constexpr uint64_t kSlotsAtOnce = 100'000;

}  // namespace

// The walk goes shard after shard.
absl::StatusOr<CellCopy> CellCopy::Of(const page_table::PageTable& table,
                                      const std::string& folder) {
  ASSIGN_OR_RETURN(base::SpoolFile file, base::SpoolFile::Create(folder));
  CellCopy copy(std::move(file));
  copy.begins_ = {0};
  for (uint32_t shard = 0; shard < table.shards(); ++shard) {
    copy.begins_.push_back(copy.begins_.back() + table.totals(ShardAt(shard)).pages);
  }
  page_table::Cursor cursor;
  std::string cells;
  for (bool finished = false; !finished; cells.clear()) {
    finished = table.Walk(cursor, kSlotsAtOnce, [&](const page_table::Page& page) {
      base::AppendFixed64(cells, page.page.word());
      base::AppendFixed32(cells, page.cash.bits());
    });
    RETURN_IF_ERROR(copy.file_.Append(cells));
  }
  if (copy.file_.size() != copy.begins_.back() * kCellBytes) {
    return absl::InternalError("the page table has other pages than it counts");
  }
  return copy;
}

absl::Status CellCopy::Load(ShardId shard) {
  cells_.clear();
  loaded_ = shard;
  if (shard.value + size_t{1} >= begins_.size()) return absl::OkStatus();
  const uint64_t begin = begins_[shard.value], end = begins_[shard.value + size_t{1}];
  std::string bytes((end - begin) * kCellBytes, '\0');
  RETURN_IF_ERROR(file_.Read(begin * kCellBytes, absl::MakeSpan(bytes)));
  base::Decoder in(bytes);
  for (uint64_t i = begin; i < end; ++i) {
    const uint64_t word = in.Fixed64();
    cells_.emplace_back(word, in.Fixed32());
  }
  std::sort(cells_.begin(), cells_.end());
  return absl::OkStatus();
}

absl::StatusOr<std::optional<cash::Amount>> CellCopy::Find(PageId page) {
  if (loaded_ != page.shard()) RETURN_IF_ERROR(Load(page.shard()));
  const auto at =
      std::lower_bound(cells_.begin(), cells_.end(), std::make_pair(page.word(), uint32_t{0}));
  if (at == cells_.end() || at->first != page.word()) return std::nullopt;
  return cash::Cell::FromBits(at->second).value();
}

}  // namespace opic::node

#include "ledger/placements.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::ledger {
namespace {

constexpr std::string_view kPrefix = "shard/";

absl::Status Damaged() { return absl::DataLossError("a shard's row is damaged"); }

NodeId ReadNode(base::Decoder& in) {
  const uint64_t node = in.Varint();
  if (node <= kShardOrNodeMax) return NodeAt(node);
  in.Fail();
  return NodeId();
}

}  // namespace

std::string KeyOfShardRow(ShardId shard) {
  std::string key(kPrefix);
  base::AppendBig64(key, shard.value);
  return key;
}

std::string Encode(const ShardRow& row) {
  std::string out;
  base::AppendVarint(out, row.node.value);
  base::AppendVarint(out, row.move);
  out.push_back(static_cast<char>((row.arriving ? 1 : 0) | (row.hosts ? 2 : 0)));
  if (row.arriving) {
    base::AppendVarint(out, row.arriving->from.value);
    base::AppendVarint(out, row.arriving->move);
  }
  if (row.hosts) base::AppendBytes(out, *row.hosts);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

absl::StatusOr<ShardRow> DecodeShardRow(std::string_view bytes) {
  base::Decoder in(bytes);
  ShardRow row;
  row.node = ReadNode(in);
  row.move = in.Varint();
  const uint8_t parts = in.Byte();
  if ((parts & 1) != 0) {
    const NodeId from = ReadNode(in);
    row.arriving = ShardRow::Arrival{from, in.Varint()};
  }
  if ((parts & 2) != 0) row.hosts = std::string(in.Bytes());
  const std::string_view summed = bytes.substr(0, bytes.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || !in.done() || parts > 3) return Damaged();
  return row;
}

Placements::Placements(NodeId self, uint32_t shards, const std::function<NodeId(ShardId)>& by_map)
    : self_(self), rows_(shards), changed_at_(shards, 0) {
  for (uint32_t s = 0; s < shards; ++s) {
    rows_[s].node = by_map ? by_map(ShardAt(s)) : self;
  }
  durable_ = rows_;
}

absl::Status Placements::Load(store::Store& store) {
  const std::unique_ptr<store::Cursor> stored = store.Scan(store::Table::kMeta, kPrefix);
  for (; stored->Valid(); stored->Next()) {
    base::Decoder key(stored->key());
    if (key.Raw(kPrefix.size()) != kPrefix) break;
    const uint64_t shard = key.Big64();
    absl::StatusOr<ShardRow> row = DecodeShardRow(stored->value());
    if (!key.done() || shard >= rows_.size() || !row.ok())
      return base::DamagedFolder(absl::StrCat("the row of shard ", shard, " cannot be read"));
    rows_[shard] = *std::move(row);
    if (rows_[shard].move > 0) changed_at_[shard] = changes_ = 1;
    arriving_ += rows_[shard].arriving.has_value();
    with_hosts_ += rows_[shard].hosts.has_value();
  }
  durable_ = rows_;
  return stored->status();
}

std::vector<ShardId> Placements::arriving() const {
  std::vector<ShardId> found;
  for (uint32_t s = 0; found.size() < arriving_; ++s) {
    if (rows_[s].arriving) found.push_back(ShardAt(s));
  }
  return found;
}

// Equal numbers are of one move, and so of one node; should two nodes ever claim the same one, all
// agree on the same of them.
bool Placements::IsNews(const Placement& placement) const {
  const ShardRow& row = rows_[placement.shard.value];
  return std::tuple(placement.move, placement.node) > std::tuple(row.move, row.node);
}

bool Placements::Overtakes(const Placement& placement) const {
  const std::optional<ShardRow::Arrival>& arrival = arriving(placement.shard);
  return arrival && placement.node != self_ &&
         std::tuple(placement.move, placement.node) > std::tuple(arrival->move, self_);
}

ShardRow& Placements::Change(ShardId shard) {
  changed_.push_back(shard);
  return rows_[shard.value];
}

void Placements::Learn(const Placement& placement) {
  OPIC_CHECK(IsNews(placement)) << "a placement that is older than what is known";
  ShardRow& row = Change(placement.shard);
  row.node = placement.node;
  row.move = placement.move;
  if (row.node != self_) row.hosts.reset();
}

void Placements::BeginArrival(ShardId shard, NodeId from, uint64_t move) {
  ShardRow& row = Change(shard);
  OPIC_CHECK(!row.arriving || row.arriving->move < move) << "a shard arrives that is arriving";
  if (!row.arriving) ++arriving_;
  row.arriving = ShardRow::Arrival{from, move};
}

void Placements::EndArrival(ShardId shard, std::string hosts) {
  ShardRow& row = Change(shard);
  OPIC_CHECK(row.arriving.has_value()) << "a shard ends arriving that never began";
  row.node = self_;
  row.move = std::max(row.move, row.arriving->move);
  row.arriving.reset();
  --arriving_;
  row.hosts = std::move(hosts);
}

void Placements::GiveUpArrival(ShardId shard) {
  ShardRow& row = Change(shard);
  OPIC_CHECK(row.arriving.has_value()) << "a shard is given up that is not arriving";
  row.arriving.reset();
  --arriving_;
}

void Placements::HostsApplied(ShardId shard) { Change(shard).hosts.reset(); }

bool Placements::Workable(ShardId shard) const {
  const ShardRow& now = rows_[shard.value];
  const ShardRow& durable = durable_[shard.value];
  const auto workable = [&](const ShardRow& row) {
    return row.node == self_ && !row.arriving && !row.hosts;
  };
  return workable(now) && workable(durable);
}

std::vector<std::pair<ShardId, std::string>> Placements::WithHosts() const {
  std::vector<std::pair<ShardId, std::string>> found;
  if (with_hosts_ == 0) return found;
  for (uint32_t s = 0; s < rows_.size(); ++s) {
    if (!durable_[s].hosts || !rows_[s].hosts) continue;
    found.emplace_back(ShardAt(s), *durable_[s].hosts);
  }
  return found;
}

std::vector<Placement> Placements::Since(uint64_t changes) const {
  std::vector<Placement> found;
  if (changes == changes_) return found;
  for (uint32_t s = 0; s < durable_.size(); ++s) {
    if (changed_at_[s] <= changes) continue;
    found.push_back({ShardAt(s), durable_[s].node, durable_[s].move});
  }
  return found;
}

void Placements::WriteTo(store::Batch& batch) const {
  for (ShardId shard : changed_) {
    batch.Put(store::Table::kMeta, KeyOfShardRow(shard), Encode(rows_[shard.value]));
  }
}

void Placements::Committed() {
  if (changed_.empty()) return;
  ++changes_;
  for (ShardId shard : changed_) {
    ShardRow& durable = durable_[shard.value];
    const ShardRow& row = rows_[shard.value];
    if (std::tuple(durable.move, durable.node) != std::tuple(row.move, row.node)) {
      changed_at_[shard.value] = changes_;
    }
    OPIC_CHECK(row.move >= durable.move) << "shard " << shard.value << " moves back in time";
    with_hosts_ -= durable.hosts.has_value();
    durable = row;
    with_hosts_ += durable.hosts.has_value();
  }
  changed_.clear();
}

}  // namespace opic::ledger

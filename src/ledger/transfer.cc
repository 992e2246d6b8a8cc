#include "ledger/transfer.h"

#include "base/check.h"
#include "base/encoding.h"
#include "ledger/page_name.h"

namespace opic::ledger {
namespace {

constexpr std::string_view kMagic = "opicT1";
constexpr std::string_view kMovingMagic = "opicT2";  // with a chunk
constexpr std::string_view kPushMagic = "opicT3";    // of ledger push: amounts have signs
constexpr std::string_view kPushMovingMagic = "opicT4";

std::string_view MagicOf(const TransferBatch& batch) {
  if (batch.method == importance::Method::kPush) return batch.chunk ? kPushMovingMagic : kPushMagic;
  return batch.chunk ? kMovingMagic : kMagic;
}

constexpr uint8_t kPushSums = 2;  // beside the idle bit: what ledger push tells follows

NodeId ReadNode(base::Decoder& in) {
  const uint64_t node = in.Varint();
  if (node <= kShardOrNodeMax) return NodeAt(node);
  in.Fail();
  return NodeId();
}

void AppendTransfers(std::string& out, const std::vector<Transfer>& transfers, bool signs) {
  base::AppendVarint(out, transfers.size());
  uint64_t before = 0;
  for (const Transfer& transfer : transfers) {
    OPIC_CHECK(&transfer == &transfers.front() || transfer.page.word() > before)
        << "transfers that do not ascend";
    base::AppendVarint(out, transfer.page.word() - before);
    if (signs) {
      base::AppendZigzag(out, transfer.amount.units());
    } else {
      base::AppendVarint(out, transfer.amount.units());
    }
    base::AppendBytes(out, JoinedName(transfer.url, transfer.referrer));
    if (!transfer.url.empty()) base::AppendVarint(out, transfer.depth);
    before = transfer.page.word();
  }
}

void ReadTransfers(base::Decoder& in, std::vector<Transfer>& transfers, bool signs) {
  const uint64_t count = in.Varint();
  if (count > in.rest().size() / 3) in.Fail();  // each takes three bytes at least
  if (!in.ok()) return;
  transfers.resize(count);
  uint64_t word = 0;
  for (Transfer& transfer : transfers) {
    const uint64_t step = in.Varint();
    // Ascending, one a page; only the first may be page 0.
    if ((step == 0 && &transfer != &transfers.front()) || word + step < word) in.Fail();
    word += step;
    if (!PageId::IsValidWord(word)) in.Fail();
    transfer.page = PageId::FromWord(word);
    transfer.amount = cash::Amount(signs ? in.Zigzag() : static_cast<int64_t>(in.Varint()));
    const std::string_view name = in.Bytes();
    if (name.empty()) continue;
    if (!SplitName(name, transfer.url, transfer.referrer)) in.Fail();
    transfer.depth = static_cast<uint32_t>(in.Varint());
  }
}

}  // namespace

void AppendNodeSums(std::string& out, const NodeSums& sums) {
  base::AppendVarint128(out, sums.clock);
  base::AppendVarint128(out, sums.fetch_clock);
  base::AppendVarint128(out, sums.origin);
  base::AppendVarint128(out, sums.table);
  base::AppendVarint(out, sums.virtual_page.units());
  base::AppendVarint(out, sums.pages);
  base::AppendVarint(out, sums.unread);
  const bool push = sums.method == importance::Method::kPush;
  out.push_back(static_cast<char>(uint8_t{sums.idle} | (push ? kPushSums : 0)));
  if (!push) return;
  base::AppendVarint128(out, sums.history);
  base::AppendVarint128(out, sums.read_cash);
  base::AppendVarint128(out, sums.residual);
  base::AppendVarint(out, sums.reread);
  base::AppendVarint128(out, sums.rounded);
}

NodeSums ReadNodeSums(base::Decoder& in) {
  NodeSums sums;
  sums.clock = in.Varint128();
  sums.fetch_clock = in.Varint128();
  sums.origin = in.Varint128();
  sums.table = in.Varint128();
  sums.virtual_page = cash::Amount(static_cast<int64_t>(in.Varint()));
  sums.pages = in.Varint();
  sums.unread = in.Varint();
  const uint8_t flags = in.Byte();
  sums.idle = (flags & 1) != 0;
  if ((flags & kPushSums) == 0) return sums;
  sums.method = importance::Method::kPush;
  sums.history = in.Varint128();
  sums.read_cash = in.Varint128();
  sums.residual = in.Varint128();
  sums.reread = in.Varint();
  sums.rounded = in.Varint128();
  return sums;
}

cash::Sum TransferBatch::Carried() const {
  cash::Sum sum = to_virtual_page.units();
  for (const Transfer& transfer : transfers) sum += transfer.amount.units();
  if (chunk) sum += chunk->Carried();
  return sum;
}

cash::Sum TransferBatch::Magnitude() const {
  cash::Sum sum = to_virtual_page.magnitude();
  for (const Transfer& transfer : transfers) sum += transfer.amount.magnitude();
  if (chunk) sum += chunk->Magnitude();
  return sum;
}

std::string Encode(const TransferBatch& batch) {
  const bool signs = batch.method == importance::Method::kPush;
  std::string out(MagicOf(batch));
  out.reserve(96 + 12 * batch.transfers.size());
  base::AppendFixed64(out, batch.cluster_id);
  base::AppendVarint(out, batch.from.value);
  base::AppendVarint(out, batch.to.value);
  base::AppendVarint(out, batch.sequence);
  base::AppendVarint(out, batch.epoch);
  base::AppendVarint128(out, batch.cash_before);
  base::AppendVarint128(out, batch.cash_after);
  base::AppendVarint(out, batch.to_virtual_page.units());
  AppendNodeSums(out, batch.sums);
  AppendTransfers(out, batch.transfers, signs);
  if (batch.chunk) AppendChunk(out, *batch.chunk, signs);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

absl::StatusOr<TransferBatch> DecodeTransferBatch(std::string_view bytes) {
  const auto damaged = [] { return absl::DataLossError("a batch of transfers is damaged"); };
  base::Decoder in(bytes);
  const std::string_view magic = in.Raw(kMagic.size());
  const bool signs = magic == kPushMagic || magic == kPushMovingMagic;
  const bool moving = magic == kMovingMagic || magic == kPushMovingMagic;
  if (!signs && !moving && magic != kMagic) return damaged();
  TransferBatch batch;
  batch.method = signs ? importance::Method::kPush : importance::Method::kWindow;
  batch.cluster_id = in.Fixed64();
  batch.from = ReadNode(in);
  batch.to = ReadNode(in);
  batch.sequence = in.Varint();
  batch.epoch = in.Varint();
  batch.cash_before = in.Varint128();
  batch.cash_after = in.Varint128();
  batch.to_virtual_page = cash::Amount(static_cast<int64_t>(in.Varint()));
  batch.sums = ReadNodeSums(in);
  ReadTransfers(in, batch.transfers, signs);
  if (moving) batch.chunk = ReadChunk(in, signs);
  const std::string_view summed = bytes.substr(0, bytes.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || !in.done()) return damaged();
  return batch;
}

}  // namespace opic::ledger

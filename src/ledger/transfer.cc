#include "ledger/transfer.h"

#include "base/encoding.h"

namespace opic::ledger {
namespace {

constexpr std::string_view kMagic = "opicT1";
constexpr std::string_view kMovingMagic = "opicT2";  // with a consignment
constexpr std::string_view kPushMagic = "opicT3";    // of ledger push: amounts have signs
constexpr std::string_view kPushMovingMagic = "opicT4";

std::string_view MagicOf(const TransferBatch& batch) {
  if (batch.method == importance::Method::kPush)
    return batch.consignment ? kPushMovingMagic : kPushMagic;
  return batch.consignment ? kMovingMagic : kMagic;
}

constexpr uint8_t kPushNews = 2;  // beside the idle bit: what ledger push tells follows

NodeId ReadNode(base::Decoder& in) {
  const uint64_t node = in.Varint();
  if (node > 0xffff) in.Fail();
  return NodeId{static_cast<uint16_t>(node)};
}

void AppendTransfers(std::string& out, const std::vector<Transfer>& transfers, bool signs) {
  base::AppendVarint(out, transfers.size());
  uint64_t before = 0;
  for (const Transfer& transfer : transfers) {
    base::AppendVarint(out, transfer.page.word() - before);
    if (signs) {
      base::AppendZigzag(out, transfer.amount.units());
    } else {
      base::AppendVarint(out, transfer.amount.units());
    }
    base::AppendBytes(out, transfer.url);
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
    transfer.url = std::string(in.Bytes());
    if (!transfer.url.empty()) transfer.depth = static_cast<uint32_t>(in.Varint());
  }
}

}  // namespace

void AppendNews(std::string& out, const NodeSums& news) {
  base::AppendVarint128(out, news.clock);
  base::AppendVarint128(out, news.fetch_clock);
  base::AppendVarint128(out, news.origin);
  base::AppendVarint128(out, news.table);
  base::AppendVarint(out, news.virtual_page.units());
  base::AppendVarint(out, news.pages);
  base::AppendVarint(out, news.unread);
  const bool push = news.method == importance::Method::kPush;
  out.push_back(static_cast<char>(uint8_t{news.idle} | (push ? kPushNews : 0)));
  if (!push) return;
  base::AppendVarint128(out, news.history);
  base::AppendVarint128(out, news.read_cash);
  base::AppendVarint128(out, news.residual);
  base::AppendVarint(out, news.reread);
  base::AppendVarint128(out, news.rounded);
}

NodeSums ReadNews(base::Decoder& in) {
  NodeSums news;
  news.clock = in.Varint128();
  news.fetch_clock = in.Varint128();
  news.origin = in.Varint128();
  news.table = in.Varint128();
  news.virtual_page = cash::Amount(static_cast<int64_t>(in.Varint()));
  news.pages = in.Varint();
  news.unread = in.Varint();
  const uint8_t flags = in.Byte();
  news.idle = (flags & 1) != 0;
  if ((flags & kPushNews) == 0) return news;
  news.method = importance::Method::kPush;
  news.history = in.Varint128();
  news.read_cash = in.Varint128();
  news.residual = in.Varint128();
  news.reread = in.Varint();
  news.rounded = in.Varint128();
  return news;
}

cash::Sum TransferBatch::Carried() const {
  cash::Sum sum = to_virtual_page.units();
  for (const Transfer& transfer : transfers) sum += transfer.amount.units();
  if (consignment) sum += consignment->Carried();
  return sum;
}

cash::Sum TransferBatch::Magnitude() const {
  cash::Sum sum = to_virtual_page.magnitude();
  for (const Transfer& transfer : transfers) sum += transfer.amount.magnitude();
  if (consignment) sum += consignment->Magnitude();
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
  AppendNews(out, batch.news);
  AppendTransfers(out, batch.transfers, signs);
  if (batch.consignment) AppendConsignment(out, *batch.consignment, signs);
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
  batch.news = ReadNews(in);
  ReadTransfers(in, batch.transfers, signs);
  if (moving) batch.consignment = ReadConsignment(in, signs);
  const std::string_view summed = bytes.substr(0, bytes.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || !in.done()) return damaged();
  return batch;
}

}  // namespace opic::ledger

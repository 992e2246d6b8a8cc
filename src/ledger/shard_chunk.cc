#include "ledger/shard_chunk.h"

#include "base/check.h"

namespace opic::ledger {
namespace {

constexpr size_t kPageBytesMin = 1 + 2 + 1 + 1;

void AppendPages(std::string& out, const std::vector<MovedPage>& pages, bool debts) {
  base::AppendVarint(out, pages.size());
  uint64_t next = 0;
  for (const MovedPage& moved : pages) {
    OPIC_CHECK(moved.page.id() >= next) << "moved pages that do not ascend";
    OPIC_CHECK(debts || !moved.cash.in_debt()) << "a debt among moved pages without debts";
    base::AppendVarint(out, (moved.page.id() - next) << (debts ? 2 : 1) |
                                uint64_t{moved.cash.in_debt()} << 1 | uint64_t{moved.done});
    out.push_back(static_cast<char>(moved.cash.bits()));
    out.push_back(static_cast<char>(moved.cash.bits() >> 8));
    base::AppendBytes(out, moved.row);
    base::AppendBytes(out, moved.history);
    next = moved.page.id() + 1;
  }
}

void ReadPages(base::Decoder& in, ShardId shard, std::vector<MovedPage>& pages, bool debts) {
  const uint64_t count = in.Varint();
  // It comes from a stranger: no vector is made larger than the bytes that could fill it.
  if (count > in.rest().size() / kPageBytesMin) in.Fail();
  if (!in.ok()) return;
  pages.resize(count);
  uint64_t next = 0;
  for (MovedPage& moved : pages) {
    const uint64_t word = in.Varint();
    const uint64_t id = next + (word >> (debts ? 2 : 1));
    if (id < next || id >= kPageIdCount) {
      in.Fail();
      return;
    }
    moved.page = PageId(shard, id);
    moved.done = (word & 1) != 0;
    const uint32_t debt = debts ? word >> 1 & 1 : 0, low = in.Byte();
    const uint32_t bits = debt << 16 | uint32_t{in.Byte()} << 8 | low;
    if (!cash::Cell::IsValid(bits)) in.Fail();
    moved.cash = cash::Cell::FromBits(in.ok() ? bits : 0);
    moved.row = std::string(in.Bytes());
    moved.history = std::string(in.Bytes());
    next = id + 1;
  }
}

}  // namespace

cash::Sum ShardChunk::Carried() const {
  cash::Sum sum = 0;
  for (const MovedPage& moved : pages) sum += moved.cash.value().units();
  return sum;
}

cash::Sum ShardChunk::Magnitude() const {
  cash::Sum sum = 0;
  for (const MovedPage& moved : pages) sum += moved.cash.value().magnitude();
  return sum;
}

size_t BytesOf(const MovedPage& page) { return 16 + page.row.size() + page.history.size(); }

std::vector<ShardChunk> InPieces(ShardId shard, uint64_t move, std::vector<MovedPage> pages,
                                 std::string hosts, size_t bytes_max) {
  std::vector<ShardChunk> pieces;
  size_t bytes = 0;
  const auto make_room = [&](size_t more) {
    if (pieces.empty() || (bytes > 0 && bytes + more > bytes_max)) {
      pieces.push_back({shard, move});
      bytes = 0;
    }
    bytes += more;
  };
  for (MovedPage& page : pages) {
    make_room(BytesOf(page));
    pieces.back().pages.push_back(std::move(page));
  }
  make_room(hosts.size());
  pieces.back().last = true;
  pieces.back().hosts = std::move(hosts);
  size_t moved = 0;
  for (const ShardChunk& piece : pieces) moved += piece.pages.size();
  OPIC_CHECK(moved == pages.size()) << "a shard in pieces that lack pages";
  return pieces;
}

void AppendChunk(std::string& out, const ShardChunk& chunk, bool debts) {
  base::AppendVarint(out, chunk.shard.value);
  base::AppendVarint(out, chunk.move);
  AppendPages(out, chunk.pages, debts);
  out.push_back(static_cast<char>(chunk.last));
  if (chunk.last) base::AppendBytes(out, chunk.hosts);
}

ShardChunk ReadChunk(base::Decoder& in, bool debts) {
  ShardChunk chunk;
  const uint64_t shard = in.Varint();
  if (shard <= kShardOrNodeMax) {
    chunk.shard = ShardAt(shard);
  } else {
    in.Fail();
  }
  chunk.move = in.Varint();
  ReadPages(in, chunk.shard, chunk.pages, debts);
  const uint8_t last = in.Byte();
  if (last > 1) in.Fail();
  chunk.last = last == 1;
  if (chunk.last) chunk.hosts = std::string(in.Bytes());
  return chunk;
}

}  // namespace opic::ledger

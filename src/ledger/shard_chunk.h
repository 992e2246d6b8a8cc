// A shard on its way to another node: its rows, piece after piece, in the batches of an ordinary
// channel (docs/formats/transfer.md; docs/decisions/2026-11-21-shard-moves.md).
//
// All pieces of a move are sealed in the write in which the shard leaves the table of its owner,
// and the last one carries the end mark. Nothing is rounded: a page arrives with the very cell,
// state and rows that it left with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/encoding.h"
#include "base/ids.h"
#include "cash/cell.h"

namespace opic::ledger {

// One page of a shard that moves.
struct MovedPage {
  PageId page;
  cash::Cell cash;
  bool done = false;
  std::string row;      // as in Table::kPage
  std::string history;  // as in Table::kHistory; empty: never visited
  friend bool operator==(const MovedPage&, const MovedPage&) = default;
};

// One piece of a move.
struct ShardChunk {
  ShardId shard;
  uint64_t move = 0;             // its number; at least 1
  std::vector<MovedPage> pages;  // ascending, all of the shard
  bool last = false;             // the end mark: the receiver owns the shard from here on
  std::string hosts;             // of the end mark: the caller's, about the shard's hosts

  cash::Sum Carried() const;
  cash::Sum Magnitude() const;  // the same without signs
  friend bool operator==(const ShardChunk&, const ShardChunk&) = default;
};

// Largest size of one page, encoded.
size_t BytesOf(const MovedPage& page);
// A whole shard in pieces of at most `bytes_max`; one page or the end mark may be longer. `pages`
// ascend.
std::vector<ShardChunk> InPieces(ShardId shard, uint64_t move, std::vector<MovedPage> pages,
                                 std::string hosts, size_t bytes_max);
// `debts`: the cash of pages may be below zero.
void AppendChunk(std::string& out, const ShardChunk& chunk, bool debts);
// Fails the decoder when it is no whole chunk: pages of another shard or not ascending, a
// cell that has no value, hosts without an end mark.
ShardChunk ReadChunk(base::Decoder& in, bool debts);

}  // namespace opic::ledger

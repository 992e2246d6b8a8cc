// Money between nodes: what one commit group of a node sends to one peer, sealed in batches
// (docs/design.md section 5, docs/formats/transfer.md; paper section 4.1).
//
// A batch is written to Table::kOutbox with the group that made it, and is sent and resent byte for
// byte until the peer has it on disk. Both ends of a channel count the cash that ever passed it,
// and each batch carries the count before and after: a batch that was lost, changed or applied
// twice shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/encoding.h"
#include "base/ids.h"
#include "cash/amount.h"
#include "importance/push.h"
#include "ledger/shard_chunk.h"

namespace opic::ledger {

// What a node tells its peers about itself, with every batch and acknowledgement. Nobody's money
// depends on it.
struct NodeSums {
  cash::Sum clock = 0;        // of the node's own visits; the cluster's G is the sum over its nodes
  cash::Sum fetch_clock = 0;  // the cluster's G, as the node knew it, at its last fetch
  cash::Sum origin = 0;       // of its window (WindowAccounting::GraphStandsStill)
  cash::Sum table = 0;        // cash on its pages
  cash::Amount virtual_page;  // cash on its part of the virtual page
  importance::Method method = importance::Method::kWindow;
  // By ledger push, the totals of its pages (importance::PushTotals):
  cash::Sum history = 0, read_cash = 0, residual = 0, rounded = 0;
  uint64_t reread = 0;
  // Of its pages that are not read, without the sign; nothing: as it said last. Batches do not say.
  std::optional<cash::Sum> unread_debt = std::nullopt;
  uint64_t pages = 0, unread = 0;
  bool idle = false;  // nothing left to fetch, and no batch that its peers have not acknowledged

  friend bool operator==(const NodeSums&, const NodeSums&) = default;
};

void AppendNodeSums(std::string& out, const NodeSums& sums);
NodeSums ReadNodeSums(base::Decoder& in);

// Cash for one page of the peer, or its discovery (an amount of zero).
struct Transfer {
  PageId page;
  cash::Amount amount;
  std::string url;            // empty: it was announced to the peer before
  uint32_t depth = 0;         // links followed from a seed; with `url`
  std::string referrer = {};  // PageName::referrer; with `url`
};

struct TransferBatch {
  uint64_t cluster_id = 0;
  NodeId from, to;
  importance::Method method = importance::Method::kWindow;  // of ledger push: amounts have signs
  uint64_t sequence = 0;  // dense in its channel (one direction of a pair), from 1
  uint64_t epoch = 0;     // of the sender when it sealed the batch (Ledger::EnterEpoch)
  cash::Sum cash_before = 0, cash_after = 0;  // ever sealed in this channel
  cash::Amount to_virtual_page;               // its share (VirtualShares); in cash_after too
  NodeSums sums;
  std::vector<Transfer> transfers;  // sorted by page, one a page
  std::optional<ShardChunk> chunk;  // a piece of a shard that moves; in cash_after too

  // What the batch carries; equals cash_after - cash_before in every batch that a node sealed.
  cash::Sum Carried() const;
  // The same without signs.
  cash::Sum Magnitude() const;
};

// What the links of a node's visits cost to pay, since it was opened.
struct LinkCounts {
  uint64_t own = 0, away = 0;  // links paid, of pages here and of peers'
  uint64_t transfers = 0;      // those away, summed by page and group, with what was posted on
  uint64_t named = 0;          // of these, with the URL
  uint64_t name_bytes = 0;     // of those URLs
  uint64_t batch_bytes = 0;    // sealed, but for moving shards

  uint64_t paid() const { return own + away; }

  friend bool operator==(const LinkCounts&, const LinkCounts&) = default;
};

std::string Encode(const TransferBatch& batch);
// DataLoss: not a whole batch (its checksum is wrong).
absl::StatusOr<TransferBatch> DecodeTransferBatch(std::string_view bytes);

}  // namespace opic::ledger

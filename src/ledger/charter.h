// What is fixed at genesis and can never change: who the cluster is, how much cash there is, how
// URLs are split, how cash is split, and what history is kept. Stored once in Table::kMeta; every
// later opening compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cash/amount.h"
#include "cash/split.h"
#include "importance/push.h"
#include "importance/window.h"
#include "url/page_id.h"

namespace opic::ledger {

// The version of everything stored below a data folder. Folders of version 2 (no shard was ever
// moved), 3 (no ledger push), 4 (no page is planned to be read again), 5 (the account of a page
// stands in the middle of its row), 6 and 7 (each credit of the journal has its amount, each shard
// a checkpoint file of its own) are read as well, and become ones of the present version with their
// first write. Folders that keep referrers have a version of their own: 7 was theirs, now it is 9.
// Others are refused.
inline constexpr uint32_t kFormatVersion = 8;
inline constexpr uint32_t kReferrersFormatVersion = 9;
inline constexpr uint32_t kFormatVersionMin = 2;
inline constexpr uint32_t kFormatVersionMax = kReferrersFormatVersion;
// The version of what nodes send each other, in batches and in shards that move; the other one
// where pages may be sent with their referrers. What a folder alone has does not raise it, so nodes
// of two releases may crawl together while a cluster is upgraded.
inline constexpr uint32_t kExchangeVersion = 6;
inline constexpr uint32_t kReferrersExchangeVersion = 7;

inline constexpr char kCharterKey[] = "charter";

struct Charter;

// What somebody asks of a charter; what is not set may be anything.
struct CharterRequest {
  std::optional<uint32_t> shards;
  std::optional<url::ShardBy> shard_by;
  std::optional<cash::SmallEdge> epsilon;
  // Not set: the paper's windows where something is asked of them, or links are to be forgotten.
  std::optional<importance::Method> method;
  std::optional<importance::WindowKind> window;
  std::optional<double> window_supplies;
  std::optional<uint32_t> window_measures;
  std::optional<bool> keep_links;
  // `base` with what is requested put in.
  Charter ApplyTo(Charter base) const;
};

// What passed between the lost folders of a node and all folders of one peer, as that peer tells
// it.
struct LostChannel {
  NodeId peer;
  cash::Sum received = 0;  // by the lost folders, and durable there
  cash::Sum sealed = 0;    // by the lost folders, and durable at the peer
  cash::Sum clock = 0;     // of the lost folders, as far as the peer has heard; >= 0

  friend bool operator==(const LostChannel&, const LostChannel&) = default;
};

struct Charter {
  uint64_t cluster_id = 0;  // drawn at genesis
  cash::Amount supply = cash::kSupply;
  uint32_t shards = 1024;
  url::ShardBy shard_by = url::ShardBy::kHost;
  cash::SmallEdge epsilon;
  importance::Method method = importance::Method::kWindow;
  cash::Amount base = importance::kBase;  // of ledger push: what a page is born with
  // For Method::kWindow. Ledger push keeps the exact account of WindowKind::kNone in its rows.
  importance::WindowOptions window;
  bool keep_links = true;  // false: --forget-links, the paper's original; nothing can be settled
  // The name of a page tells the page whose link it was found by. Once it is so it stays so.
  bool referrers = false;
  // This data folder in its cluster.
  NodeId node;
  uint32_t generation = 1;               // raised when a lost folder is begun anew
  uint64_t birth = 0;                    // drawn when the folder is made
  cash::Amount genesis = cash::kSupply;  // what the node's first folder began with
  // Where a folder is made that takes the place of a lost one: it goes on from what the lost
  // ones held: their genesis, and what they received, less what they sealed; and from the latest
  // clock that a peer has heard of. Kept in the books of the peers, not in the charter.
  std::vector<LostChannel> lost;
  uint32_t format_version = kFormatVersion;  // that it was read in
  uint32_t written_version() const { return referrers ? kReferrersFormatVersion : kFormatVersion; }
  uint32_t exchange_version() const {
    return referrers ? kReferrersExchangeVersion : kExchangeVersion;
  }

  // What a new crawl begins with where nothing else is asked for: ledger push.
  static Charter ForNewCrawl();

  // InvalidArgument: what no crawl can be begun with.
  absl::Status Validate() const;

  std::string Encode() const;
  // DataLoss: not a charter. FailedPrecondition: a format version that this program does not read.
  static absl::StatusOr<Charter> Decode(std::string_view bytes);
  // FailedPrecondition with the first difference in words, when `wanted` asks for something else.
  absl::Status AgreesWith(const Charter& wanted) const;
};

}  // namespace opic::ledger

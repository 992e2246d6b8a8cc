// How one node's ledger is opened, and what it found then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/ids.h"

namespace opic::ledger {

// When a checkpoint that is due is written.
enum class SaveCheckpoints : uint8_t {
  kAtOnce,  // in the call that finds it due
  kBeside,  // by a thread, of a copy of its shard, while the ledger goes on
  kLater,   // of such a copy, by a call some records later: for simulations
};

struct Options {
  std::string checkpoint_folder;     // empty: no checkpoints, everything is replayed
  bool read_only = false;            // a look at a folder at rest; nothing may be recorded
  double unread_share = 0;           // VirtualPage
  size_t kept_rows_bytes = 8 << 20;  // KeptRows
  bool referrers = false;            // Charter::referrers from now on
  bool credit_helper = false;        // PageTable::UseHelper
  // A shard is checkpointed when its own part of the journal is above this and a tenth of its size.
  uint64_t shard_journal_bytes_min = 256 << 10;
  // Above this, and a quarter of the table, the shards that were not checkpointed for longest are.
  uint64_t journal_bytes_max = 64 << 20;
  uint32_t checkpoint_shards_max = 1024;         // begun together
  uint64_t checkpoint_copied_at_once = 2 << 20;  // bytes of slots, between two commit groups
  SaveCheckpoints save = SaveCheckpoints::kAtOnce;
  uint64_t instalment_pages_max = 1 << 20;  // a larger shard gets its instalments in parts
  // In a cluster: which node owns a shard by its map, before any move. Empty: this one owns all.
  std::function<NodeId(ShardId)> owner;
  uint16_t nodes = 1;
  size_t batch_bytes_max = 1 << 20;  // of a sealed batch; one transfer may be longer
  // While more than this waits for a peer, no shard departs to it.
  uint64_t departure_outbox_bytes_max = 256 << 20;
};

struct RecoveryReport {
  uint64_t pages = 0, checkpoints = 0, records_replayed = 0;
};

}  // namespace opic::ledger

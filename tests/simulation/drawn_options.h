// What a seed of the simulations draws for the options of a ledger.
#pragma once

#include <cstdint>
#include <string>

#include "base/rng.h"
#include "ledger/options.h"

namespace opic {

// Small numbers, so that what they bound is reached. Seeds depend on the draws and their order.
inline ledger::Options DrawnOptions(base::Rng& rng, const std::string& checkpoint_folder) {
  ledger::Options options;
  options.checkpoint_folder = checkpoint_folder;
  options.unread_share = rng.Below(2) == 0 ? 0 : rng.Uniform();
  options.shard_journal_bytes_min = 1 + rng.Below(2000);
  options.journal_bytes_max = 1 + rng.Below(8000);
  options.checkpoint_shards_max = static_cast<uint32_t>(1 + rng.Below(4));
  // Without a draw of its own: seeds stay what they were.
  const bool later = options.checkpoint_shards_max % 2 == 0;
  options.save = later ? ledger::SaveCheckpoints::kLater : ledger::SaveCheckpoints::kAtOnce;
  options.instalment_pages_max = 1 + rng.Below(40);
  return options;
}

}  // namespace opic

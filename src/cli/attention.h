// What is wrong with something that runs and answers, or keeps it from its work: for `opic status`,
// `opic health` and /readyz.
//
// Thread safety: pure, but for NeedsAttention without a time.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "node/answers.h"

namespace opic::cli {

// A peer that something waits for and that has said nothing for longer is lagging.
inline constexpr absl::Duration kPeerSilenceMax = absl::Minutes(1);

struct Obstacle {
  std::string code;      // for programs: one of a few words, that never change
  std::string sentence;  // for people; of a cluster it names the node
  bool meant = false;    // an operator's intent, or it may pass by itself: needs no attention
};

// What keeps nodes from their work; empty: all do it. `now` is of the wall clock.
std::vector<Obstacle> Obstacles(const node::NodeStats& stats, absl::Time now);

// The sentences of those that are not meant; empty: nothing needs anybody's attention.
std::vector<std::string> NeedsAttention(const node::NodeStats& stats, absl::Time now);
std::vector<std::string> NeedsAttention(const node::NodeStats& stats);  // now

}  // namespace opic::cli

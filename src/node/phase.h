// How far a crawl has come: fetching, then settling until the ranking has converged, then finished
// (ALGORITHM section 3). Of a cluster it is the same on every node but for the time that news take.
#pragma once

#include <cstdint>
#include <string_view>

#include "cash/amount.h"

namespace opic::node {

enum class Phase : uint8_t { kCrawling, kSettling, kFinished };
std::string_view Name(Phase phase);

// What decides the phase. In a cluster pages, clocks and origin are those of all nodes, as far as
// this one knows.
struct Progress {
  bool fetching_over = false;  // nobody has anything left to fetch, or may fetch it
  bool may_settle = true;      // asked for, and the links were kept
  bool time_over = false;
  uint64_t pages = 0, unread = 0;
  cash::Sum clock = 0;        // G
  cash::Sum fetch_clock = 0;  // G at the last fetch
  cash::Sum origin = 0;       // of the window
  cash::Sum window = 0;       // T

  // Where settling counts from. What a peer tells of its clocks may be ahead of what is known of
  // G here.
  cash::Sum settled_since() const;
};

Phase PhaseOf(const Progress& progress);

}  // namespace opic::node

// How far a crawl has come: fetching, then settling until the ranking has converged, then finished.
// In a cluster it is the same on every node, but for the time that messages take. Before it is
// finished, what cells have rounded may be corrected (rpc/restating_watch.h); that is settled, too.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace opic::node {

enum class Phase : uint8_t { kCrawling, kSettling, kCorrecting, kFinished };
inline constexpr std::array kPhases = {Phase::kCrawling, Phase::kSettling, Phase::kCorrecting,
                                       Phase::kFinished};
std::string_view Name(Phase phase);

// What decides the phase; of a cluster, as far as this node knows it.
struct PhaseInputs {
  bool fetching_over = false;  // nobody has anything left to fetch, or may fetch it
  bool may_settle = true;      // asked for, and the links were kept
  bool time_over = false;
  uint64_t pages = 0;
  bool converged = false;  // ledger::Accounting
};

Phase PhaseOf(const PhaseInputs& progress);

}  // namespace opic::node

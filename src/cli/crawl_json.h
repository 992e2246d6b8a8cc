// How a crawl has ended, as `opic crawl --json` and `opic demo --json` print it. Programs read it:
// keys are only ever added.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "node/answers.h"

namespace opic::cli {

// Why this process has ended.
inline constexpr std::string_view kFinishedEnd = "finished";        // nothing is left to do
inline constexpr std::string_view kLimitEnd = "limit";              // --pages, --bytes or --time
inline constexpr std::string_view kInterruptedEnd = "interrupted";  // by a signal
inline constexpr std::string_view kStoppedEnd = "stopped";          // by opic control stop

// `ended`: one of these. `status` is that of opic status --json; "held_back" and "nothing_fetched"
// are there only where they say something (HeldUpBy, WhyNothingWasFetched).
nlohmann::ordered_json CrawlJson(std::string_view ended, const node::NodeStats& stats,
                                 const std::string& nothing_fetched);
// The first `count` of the pages.
nlohmann::ordered_json TopJson(const std::vector<node::PageImportance>& pages, size_t count);

}  // namespace opic::cli

// What a crawl has done, in some lines for people.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "node/answers.h"

namespace opic::cli {

// Pages that were answered: fetched, redirected, gone.
uint64_t PagesAnswered(const node::NodeStats& stats);

// "error at most 0.9 %", and what rounding may add where that is more; by the paper's windows
// "ranked by windows".
std::string RankingError(const node::LoopStats& loop);

// Why nothing is fetched although pages are left; empty: it is fetched.
std::string HeldUpBy(const node::NodeStats& stats);

// What was done so far. For a folder at rest only its pages.
std::string Summary(const node::NodeStats& stats, absl::Duration scheduler_cpu);

// Why a crawl that has ended read no page at all: a sentence, a line for each of `examples` that
// failed, and what to do about those refused with 401. Empty: it read some, or had none to read.
// `examples` are pages of the crawl.
std::string WhyNothingWasFetched(const node::NodeStats& stats,
                                 const std::vector<node::PageImportance>& examples);

}  // namespace opic::cli

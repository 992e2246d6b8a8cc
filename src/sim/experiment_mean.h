// Several runs of one experiment as one result: means and how far runs lie apart.
#pragma once

#include "absl/types/span.h"
#include "sim/experiment_result.h"

namespace opic::sim {

// Values are means, with as many digits as the runs have; after each column of them comes one of
// their sample standard deviation, `<column>_sd`. A value that is no number stays as the first run
// has it. Points of the plot are means with their deviation as spread. A single run is returned as
// it is. REQUIRES: at least one run; all have the same rows, by their keys, and series.
ExperimentResult MeanOf(absl::Span<const ExperimentResult> runs);

}  // namespace opic::sim

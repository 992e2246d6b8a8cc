// The change rate of a page, estimated from its ChangeHistory (thesis chapter 4; Cho and
// Garcia-Molina, "Estimating frequency of change").
//
// Pure functions; total: every history and prior gives a rate between 0 and kChangeRateMax.
#pragma once

#include <limits>

#include "refresh/change_history.h"
#include "refresh/rate_distribution.h"

namespace opic::refresh {

// The rate of a page, changes a second, and its standard deviation relative to it.
struct RateEstimate {
  double mean = 0;
  double relative_deviation = std::numeric_limits<double>::infinity();
};

struct RatePosterior {
  RateEstimate rate;
  RateDistribution distribution;  // what the page tells its group
};

// The posterior of the rate given the page's history and a prior, that of its group
// (rate_group.h); `rate` is what a scheduler plans with. A page without observations has the prior.
// Integrated over ln(rate), in steps no wider than its deviation: a few microseconds.
RatePosterior PosteriorRate(const ChangeHistory& history, const RateDistribution& prior);

// How likely it is to see next what `seen` holds, (4.1), of a page with this history and prior: the
// logarithm of its mean over the posterior. Changes with a date count with their density, a second.
// 0 for an empty `seen`; never below that of what is all but impossible, -700.
double LogPrediction(const ChangeHistory& history, const RateDistribution& prior,
                     const ChangeHistory& seen);

// The estimate without a prior: maximum likelihood of (4.1) and (4.2), with the corrections of Cho
// and Garcia-Molina:
//
// * undated changes: half an interval without a change is added, of the mean length. For regular
//   visits that is their -log((n - X + 1/2) / (n + 1/2)) / I.
// * dated changes: X' = (X - 1) - X / (N log(1 - X / N)) changes in place of X, N visits.
//
// Dates are corrected as if each was of a visit. Where the first fetch dated a change, the estimate
// is too high on average: after ten visits by 35 % for 0.05 changes an interval, by 7 % for 0.2, by
// 1 % for one; its mean square error is smaller nevertheless (`opic sim estimators`).
//
// 0 if no change was seen, and for a single visit that dated a change.
RateEstimate EstimatedRate(const ChangeHistory& history);

}  // namespace opic::refresh

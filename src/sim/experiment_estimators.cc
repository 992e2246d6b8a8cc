// Estimators of a change rate (thesis chapter 4) against maximum likelihood from all observations:
// bias and deviation by rate, number of visits, and what visits show.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "base/rng.h"
#include "refresh/change_rate.h"
#include "sim/experiment_runs.h"

namespace opic::sim {
namespace {

using refresh::ChangeHistory;

constexpr double kInterval = 86'400;                         // mean time between visits, in seconds
constexpr double kRates[] = {0.05, 0.1, 0.2, 0.5, 1, 2, 5};  // changes an interval
constexpr int kVisits[] = {10, 50};

// How pages are visited, and what becomes of the dates of their changes.
struct Setting {
  const char* name;
  bool irregular = false;   // intervals log-uniform over a factor of 16
  double dates = 0;         // share of fetches with a true date
  double lies = 0;          // of the others, share with a false one
  bool first_date = false;  // the first fetch has a date, too
};

constexpr Setting kSettings[] = {
    {"existence, regular"},
    {"existence, irregular", true},
    {"dates", false, 1},
    {"dates, irregular", true, 1},
    {"dates, half of them missing", false, 0.5},
    {"dates, half of them false", false, 0.5, 1},
    {"dates, the first fetch's too", false, 1, 0, true},
};

// All that was seen of one page.
struct Seen {
  ChangeHistory history;
  std::vector<double> undated;             // c_j
  double quiet = 0;                        // V
  double dated = 0, ages = 0;              // X, L
  double first = 0;                        // of X: the first fetch's
  double reported = 0, reported_ages = 0;  // the same of all dates of changes, false ones too
  double time = 0;
  double changes() const { return dated + static_cast<double>(undated.size()); }
};

double Exponential(base::Rng& rng) { return -std::log(1 - rng.Uniform()); }

// A date that is refused: in the future, before the fetch before, or the server's clock.
double FalseAge(double interval, base::Rng& rng) {
  const double ages[] = {-3600, 2 * interval, 0, 500 * interval};
  return ages[rng.Below(4)];
}

Seen Visit(const Setting& setting, double rate, int visits, base::Rng& rng) {
  Seen seen;
  absl::Time now = absl::FromUnixSeconds(1'000'000'000);
  const auto observe = [&](absl::Time before, bool changed, std::optional<double> age) {
    refresh::ChangeObservation one{.previous = before, .fetched = now, .changed = changed};
    if (age) one.last_change = now - absl::Seconds(*age);
    seen.history.Observe(one, refresh::ChangeMemory::Unlimited());
  };
  if (setting.first_date) {
    const double age = Exponential(rng) / rate;
    observe(absl::InfinitePast(), true, age);
    seen.dated += 1, seen.ages += age, seen.first = 1;
  }
  for (int i = 0; i < visits; ++i) {
    constexpr double kMeanOfFactor = 15 / 2.7725887222397811;  // of 16^u, u uniform
    const double interval =
        setting.irregular ? kInterval * std::exp2(4 * rng.Uniform()) / kMeanOfFactor : kInterval;
    const double age = Exponential(rng) / rate;
    const bool changed = age < interval, dated = rng.Uniform() < setting.dates;
    const absl::Time before = now;
    now += absl::Seconds(interval);
    seen.time += interval;
    std::optional<double> reported;
    if (changed && dated) reported = age;
    if (!reported && rng.Uniform() < setting.lies) reported = FalseAge(interval, rng);
    observe(before, changed, reported);
    if (changed && reported) seen.reported += 1, seen.reported_ages += *reported;
    if (!changed) {
      seen.quiet += interval;
    } else if (dated) {
      seen.dated += 1, seen.ages += age;
    } else {
      seen.undated.push_back(interval);
    }
  }
  return seen;
}

// The maximum of (4.1) by halving, from every interval; infinite if all had undated changes.
double MaximumLikelihood(const Seen& seen) {
  const double time = seen.quiet + seen.ages;
  if (seen.changes() == 0) return 0;
  if (time == 0) return std::numeric_limits<double>::infinity();
  double longest = 0;
  for (const double c : seen.undated) longest += c;
  double low = seen.changes() / (time + longest), high = seen.changes() / time;
  for (int i = 0; i < 60 && high > low * (1 + 1e-9); ++i) {
    const double x = std::sqrt(low * high);
    double slope = seen.dated - time * x;
    for (const double c : seen.undated) slope += c * x / std::expm1(c * x);
    (slope > 0 ? low : high) = x;
  }
  return std::sqrt(low * high);
}

// Without the first fetch's change: it lies before the time.
double ChangesByTime(const Seen& seen) { return (seen.changes() - seen.first) / seen.time; }
// (4.2) as printed: without the intervals that saw no change.
double AsPrinted(const Seen& seen) { return seen.ages > 0 ? seen.dated / seen.ages : 0; }
// (4.2) with the quiet intervals, for which every date is true.
double Believing(const Seen& seen) {
  return seen.reported > 0 ? seen.reported / (seen.reported_ages + seen.quiet) : 0;
}
double Corrected(const Seen& seen) { return EstimatedRate(seen.history).mean; }
// Of a group whose mean is a change an interval, and in which rates differ much.
double Posterior(const Seen& seen) {
  return PosteriorRate(seen.history, refresh::RateDistribution::About(1 / kInterval)).rate.mean;
}

struct Estimator {
  const char* name;
  double (*rate)(const Seen&);
};
constexpr Estimator kEstimators[] = {{"maximum likelihood", MaximumLikelihood},
                                     {"corrected", Corrected},
                                     {"posterior", Posterior},
                                     {"changes by time", ChangesByTime},
                                     {"(4.2) as printed", AsPrinted},
                                     {"all dates believed", Believing}};

// What an estimator said of many pages, in changes an interval.
struct Tally {
  double count = 0, sum = 0, squares = 0, infinite = 0;
  void Add(double estimate) {
    if (std::isinf(estimate)) {
      ++infinite;
    } else {
      ++count, sum += estimate * kInterval, squares += std::pow(estimate * kInterval, 2);
    }
  }
  double Mean() const { return count > 0 ? sum / count : 0; }
  double Deviation() const {
    return count > 0 ? std::sqrt(std::max(0.0, squares / count - Mean() * Mean())) : 0;
  }
  // Values of a row; `rate` is the true one, in changes an interval.
  std::vector<std::string> Row(double rate) const {
    const double bias = Mean() - rate;
    return {absl::StrFormat("%.4f", Mean()), absl::StrFormat("%.2f", 100 * bias / rate),
            absl::StrFormat("%.2f", 100 * Deviation() / rate),
            absl::StrFormat("%.2f", 100 * std::hypot(bias, Deviation()) / rate),
            absl::StrFormat("%.3f", 100 * infinite / (count + infinite))};
  }
};

bool Applies(const Estimator& estimator, const Setting& setting) {
  if (estimator.rate == Believing) return setting.lies > 0;
  return estimator.rate != AsPrinted || setting.dates > 0;
}

void AddRow(const std::string& setting, int visits, const std::string& rate, const char* estimator,
            std::vector<std::string> values, ExperimentResult& result) {
  std::vector<std::string> row = {setting, absl::StrFormat("%d", visits), rate, estimator};
  row.insert(row.end(), values.begin(), values.end());
  result.table.rows.push_back(std::move(row));
}

std::string Number(double value) {
  return std::isinf(value) ? "infinite" : absl::StrFormat("%.4f", value);
}

// The ends: of a page that never changed, and of one that did at every visit.
void AddEnds(ExperimentResult& result) {
  for (const bool changed : {false, true}) {
    for (const bool dated : {false, true}) {
      if (dated && !changed) continue;
      for (const int visits : {1, kVisits[0]}) {
        Seen seen;
        const absl::Time now = absl::FromUnixSeconds(1'000'000'000);
        for (int i = 0; i < visits; ++i) {
          refresh::ChangeObservation one{.previous = now - absl::Seconds(kInterval),
                                         .fetched = now};
          one.changed = changed;
          if (dated) one.last_change = now - absl::Seconds(kInterval / 2);
          seen.history.Observe(one, refresh::ChangeMemory::Unlimited());
          seen.time += kInterval;
          if (dated) {
            seen.dated += 1, seen.ages += kInterval / 2;
          } else {
            changed ? seen.undated.push_back(kInterval) : void(seen.quiet += kInterval);
          }
        }
        const char* name = !changed ? "no change seen"
                           : dated  ? "all changed, dates half way"
                                    : "all changed, no dates";
        for (const Estimator& estimator : kEstimators) {
          if (estimator.rate == Believing || (estimator.rate == AsPrinted && !dated)) continue;
          AddRow(name, visits, "-", estimator.name,
                 {Number(estimator.rate(seen) * kInterval), "-", "-", "-", "-"}, result);
        }
      }
    }
  }
}

}  // namespace

ExperimentResult Estimators(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  result.table.columns = {"observations",
                          "visits",
                          "changes_an_interval",
                          "estimator",
                          "mean",
                          "bias_percent",
                          "deviation_percent",
                          "rms_error_percent",
                          "infinite_percent"};
  result.table.keys = 4;
  result.plot = {absl::StrFormat("Estimators of a change rate, %d visits", kVisits[0]),
                 "true rate, changes an interval",
                 "root mean square error, %",
                 Scale::kLog,
                 {}};
  result.plot.x_scale = Scale::kLog;
  for (const Setting& setting : kSettings) {
    for (const int visits : kVisits) {
      std::vector<Series> series;
      for (const Estimator& estimator : kEstimators) {
        series.push_back({absl::StrFormat("%s: %s", setting.name, estimator.name), {}});
      }
      for (const double rate : kRates) {
        base::Rng rng(options.seed);
        std::vector<Tally> tallies(std::size(kEstimators));
        for (uint32_t page = 0; page < graph.pages(); ++page) {
          const Seen seen = Visit(setting, rate / kInterval, visits, rng);
          for (size_t i = 0; i < tallies.size(); ++i) tallies[i].Add(kEstimators[i].rate(seen));
        }
        for (size_t i = 0; i < tallies.size(); ++i) {
          if (!Applies(kEstimators[i], setting)) continue;
          const std::vector<std::string> values = tallies[i].Row(rate);
          AddRow(setting.name, visits, absl::StrFormat("%g", rate), kEstimators[i].name, values,
                 result);
          series[i].points.emplace_back(rate, std::stod(values[3]));
        }
      }
      // The plot: the two plain kinds of observation, few visits.
      const bool plain = &setting == &kSettings[0] || &setting == &kSettings[2];
      for (size_t i = 0; i < series.size() && plain && visits == kVisits[0]; ++i) {
        series[i].dashed = setting.dates > 0;
        if (!series[i].points.empty()) result.plot.series.push_back(std::move(series[i]));
      }
    }
  }
  AddEnds(result);
  return result;
}

}  // namespace opic::sim

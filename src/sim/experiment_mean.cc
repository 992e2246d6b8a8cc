#include "sim/experiment_mean.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/check.h"

namespace opic::sim {
namespace {

struct Spread {
  double mean = 0, deviation = 0;
};

Spread SpreadOf(const std::vector<double>& values) {
  Spread spread;
  for (const double value : values) spread.mean += value;
  spread.mean /= static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) {
    spread.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  }
  return spread;
}

int Decimals(const std::string& number) {
  const size_t point = number.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(number.size() - point - 1);
}

// The mean and the deviation of one cell.
std::pair<std::string, std::string> MeanCell(absl::Span<const ExperimentResult> runs, size_t row,
                                             size_t column) {
  const std::string& first = runs[0].table.rows[row][column];
  std::vector<double> values;
  for (const ExperimentResult& run : runs) {
    if (!absl::SimpleAtod(run.table.rows[row][column], &values.emplace_back())) return {first, "-"};
  }
  const Spread spread = SpreadOf(values);
  const int decimals = Decimals(first);
  return {absl::StrFormat("%.*f", decimals, spread.mean),
          absl::StrFormat("%.*f", decimals, spread.deviation)};
}

Table MeanTable(absl::Span<const ExperimentResult> runs) {
  const Table& first = runs[0].table;
  Table mean{.columns = {}, .keys = first.keys, .rows = {}};
  for (size_t column = 0; column < first.columns.size(); ++column) {
    mean.columns.push_back(first.columns[column]);
    if (column >= first.keys) mean.columns.push_back(first.columns[column] + "_sd");
  }
  for (const ExperimentResult& run : runs) {
    OPIC_CHECK(run.table.rows.size() == first.rows.size()) << "runs of different rows";
  }
  for (size_t row = 0; row < first.rows.size(); ++row) {
    std::vector<std::string>& cells = mean.rows.emplace_back(
        first.rows[row].begin(), first.rows[row].begin() + static_cast<ptrdiff_t>(first.keys));
    for (const ExperimentResult& run : runs) {
      OPIC_CHECK(std::equal(cells.begin(), cells.begin() + static_cast<ptrdiff_t>(first.keys),
                            run.table.rows[row].begin()))
          << "runs of different rows";
    }
    for (size_t column = first.keys; column < first.columns.size(); ++column) {
      auto [value, deviation] = MeanCell(runs, row, column);
      cells.push_back(std::move(value));
      cells.push_back(std::move(deviation));
    }
  }
  return mean;
}

Series MeanSeries(absl::Span<const ExperimentResult> runs, size_t series) {
  Series mean = runs[0].plot.series[series];
  mean.points.clear(), mean.spreads.clear();
  for (size_t i = 0; i < runs[0].plot.series[series].points.size(); ++i) {
    std::vector<double> x, y;
    for (const ExperimentResult& run : runs) {
      const Series& one = run.plot.series[series];
      if (i >= one.points.size()) continue;
      x.push_back(one.points[i].first), y.push_back(one.points[i].second);
    }
    const Spread spread = SpreadOf(y);
    mean.points.emplace_back(SpreadOf(x).mean, spread.mean);
    mean.spreads.push_back(spread.deviation);
  }
  return mean;
}

}  // namespace

ExperimentResult MeanOf(absl::Span<const ExperimentResult> runs) {
  OPIC_CHECK(!runs.empty());
  if (runs.size() == 1) return runs[0];
  ExperimentResult mean{MeanTable(runs), runs[0].plot};
  for (size_t i = 0; i < mean.plot.series.size(); ++i) mean.plot.series[i] = MeanSeries(runs, i);
  return mean;
}

}  // namespace opic::sim

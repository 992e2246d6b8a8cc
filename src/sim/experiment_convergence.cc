// Figures 2 and 3: how fast the error falls with the visits made, by strategy, beside the off-line
// iteration.
#include <algorithm>
#include <iterator>

#include "absl/strings/str_format.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "sim/experiment_runs.h"
#include "sim/opic_simulation.h"

namespace opic::sim {
namespace {

constexpr int kCrawls = 10;
constexpr double kTopShare = 0.1;
constexpr char kOffLine[] = "off-line";
constexpr schedule::StrategyKind kStrategies[] = {
    schedule::StrategyKind::kRandom, schedule::StrategyKind::kCycle,
    schedule::StrategyKind::kGreedy, schedule::StrategyKind::kThresholdSweep};

// What was estimated after some crawls' worth of visits.
struct Moment {
  std::string method;
  int crawls;
  double clock;                        // G in supplies; for the off-line iteration, iterations
  std::vector<double> leaving_out_c0;  // H + C - C0
  std::vector<double> plain;           // the paper's (H + C) / (G + 1)
};

std::vector<Moment> OnLine(const graph::Graph& graph, const ExperimentOptions& options) {
  std::vector<Moment> moments;
  for (schedule::StrategyKind strategy : kStrategies) {
    OpicSimulation opic(graph,
                        {.strategy = strategy, .genesis = Genesis::kEvenly, .seed = options.seed});
    for (int crawl = 1; crawl <= kCrawls; ++crawl) {
      opic.Run(graph.pages());
      const OpicBank& bank = opic.bank();
      moments.push_back(
          {std::string(schedule::Name(strategy)), crawl,
           static_cast<double>(bank.clock()) / static_cast<double>(cash::kSupply.units()),
           bank.Importance(), bank.PlainImportance()});
    }
  }
  return moments;
}

// One iteration reads every page once, as a crawl does.
std::vector<Moment> OffLine(const graph::Graph& graph) {
  std::vector<Moment> moments;
  for (int crawl = 1; crawl <= kCrawls; ++crawl) {
    const graph::PageRankOptions stop{.l1_change_max = 0,
                                      .iterations_max = static_cast<uint32_t>(crawl)};
    const std::vector<double> importance = graph::PageRank(graph, stop);
    moments.push_back({kOffLine, crawl, static_cast<double>(crawl), importance, importance});
  }
  return moments;
}

std::vector<std::string> Row(const Moment& moment, const std::vector<double>& exact) {
  const std::vector<double>& x = moment.leaving_out_c0;
  return {moment.method,
          absl::StrFormat("%d", moment.crawls),
          absl::StrFormat("%.3f", moment.clock),
          absl::StrFormat("%.4f", graph::MeanErrorPercent(x, exact)),
          absl::StrFormat("%.4f", graph::TopMeanErrorPercent(x, exact, kTopShare)),
          absl::StrFormat("%.4f", graph::MeanErrorPercent(moment.plain, exact)),
          absl::StrFormat("%.4f", graph::TopMeanErrorPercent(moment.plain, exact, kTopShare)),
          absl::StrFormat("%.6f", graph::Spearman(x, exact)),
          absl::StrFormat("%.6f", graph::Ndcg(x, exact, 1000))};
}

using Error = double (*)(absl::Span<const double> estimate, absl::Span<const double> exact);

double ErrorOfTop(absl::Span<const double> estimate, absl::Span<const double> exact) {
  return graph::TopMeanErrorPercent(estimate, exact, kTopShare);
}

// The series `name`, opened when it is not there yet.
Series& SeriesOf(Plot& plot, const std::string& name) {
  const auto at = std::ranges::find(plot.series, name, &Series::name);
  return at != plot.series.end() ? *at : plot.series.emplace_back(Series{name, {}});
}

// Each method's error, and dashed below it in the legend that of the paper's own estimate.
void Draw(const std::vector<Moment>& moments, const std::vector<double>& exact, Error error,
          Plot& plot) {
  for (const Moment& moment : moments) {
    SeriesOf(plot, moment.method)
        .points.emplace_back(moment.crawls, error(moment.leaving_out_c0, exact));
  }
  const size_t methods = plot.series.size();
  for (const Moment& moment : moments) {
    if (moment.method == kOffLine) continue;
    Series& plain = SeriesOf(plot, moment.method + ", (H+C)/(G+1)");
    plain.points.emplace_back(moment.crawls, error(moment.plain, exact));
    plain.dashed = true;
    for (size_t i = 0; i < methods; ++i) {
      if (plot.series[i].name == moment.method) plain.as = i;
    }
  }
}

ExperimentResult Convergence(const graph::Graph& graph, const ExperimentOptions& options,
                             const std::string& title, Error error) {
  const std::vector<double> exact = graph::PageRank(graph);
  std::vector<Moment> moments = OnLine(graph, options);
  std::ranges::move(OffLine(graph), std::back_inserter(moments));

  ExperimentResult result;
  result.table.columns = {"method",
                          "crawls",
                          "clock",
                          "error_percent",
                          "top_error_percent",
                          "plain_percent",
                          "top_plain_percent",
                          "spearman",
                          "ndcg_1000"};
  result.table.keys = 2;
  result.plot = {
      title, "pages visited, in crawls of the whole graph", "mean error, %", Scale::kLog, {}};
  for (const Moment& moment : moments) result.table.rows.push_back(Row(moment, exact));
  Draw(moments, exact, error, result.plot);
  return result;
}

}  // namespace

ExperimentResult Figure2(const graph::Graph& graph, const ExperimentOptions& options) {
  return Convergence(graph, options, "Figure 2: convergence on all pages", graph::MeanErrorPercent);
}

ExperimentResult Figure3(const graph::Graph& graph, const ExperimentOptions& options) {
  return Convergence(graph, options, "Figure 3: convergence on the top 10 %", ErrorOfTop);
}

}  // namespace opic::sim

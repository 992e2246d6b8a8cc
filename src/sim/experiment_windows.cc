// Figures 4, 5 and 6: window policies while the web changes. Greedy chooses; the policies are kept
// side by side on the same run, for they do not change it.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_format.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "sim/experiment_changing_graph.h"
#include "sim/experiment_runs.h"
#include "sim/opic_simulation.h"

namespace opic::sim {
namespace {

using importance::WindowKind;
using importance::WindowOptions;

constexpr int kCrawls = 10;
constexpr int kStepsPerCrawl = 5;                         // the web changes after each step
constexpr double kRatesPercent[] = {0, 1, 2, 5, 10, 20};  // pages changed while N are visited

struct Policy {
  std::string name;
  WindowOptions window;

  // T in supplies, where the policy has one.
  std::string Length() const {
    const bool counted = window.kind == WindowKind::kNone || window.kind == WindowKind::kVariable;
    return counted ? "-" : absl::StrFormat("%.2f", window.supplies);
  }
};

// A month is a crawl's worth of visits, as in the paper; what it adds to the clock is measured, in
// supplies, once the run is under way.
double Month(const graph::Graph& graph, const ExperimentOptions& options) {
  OpicSimulation opic(graph, {.strategy = schedule::StrategyKind::kGreedy, .seed = options.seed});
  opic.Run(uint64_t{graph.pages()} * kCrawls / 2);
  const cash::Sum before = opic.bank().clock();
  opic.Run(uint64_t{graph.pages()} * kCrawls / 2);
  const auto gained = static_cast<double>(opic.bank().clock() - before);
  return gained / static_cast<double>(cash::kSupply.units()) * 2 / kCrawls;
}

Policy Variable(uint32_t measures) {
  return {absl::StrFormat("variable, %d measures", measures),
          {.kind = WindowKind::kVariable, .measures = measures}};
}

Policy Months(WindowKind kind, int months, double month) {
  return {absl::StrFormat("%s, %d months", importance::Name(kind), months),
          {.kind = kind, .supplies = months * month}};
}

std::vector<Policy> SizesOfFigure4(double month) {
  return {Variable(4), Variable(8), Variable(16), Months(WindowKind::kInterpolation, 4, month),
          Months(WindowKind::kInterpolation, 8, month)};
}

std::vector<Policy> TypesOfFigure6(double month) {
  return {Variable(8),
          Months(WindowKind::kFixed, 4, month),
          Months(WindowKind::kFixed, 8, month),
          Months(WindowKind::kImprovedFixed, 4, month),
          Months(WindowKind::kInterpolation, 4, month),
          {"no window", {.kind = WindowKind::kNone}}};
}

// Crawls of a web that changes.
class ChangingCrawl {
 public:
  ChangingCrawl(const graph::Graph& graph, const std::vector<Policy>& policies, uint64_t seed)
      : web_(graph, seed), now_(graph), opic_(now_, Options(policies, seed)) {}
  ChangingCrawl(const ChangingCrawl&) = delete;

  // Visits as many pages as there are, while `rate` percent of the pages change.
  void CrawlOnce(double rate) {
    for (int step = 0; step < kStepsPerCrawl; ++step) {
      opic_.Run(now_.pages() / kStepsPerCrawl);
      due_ += rate / 100 * now_.pages() / kStepsPerCrawl;
      const double whole = std::floor(due_);
      if (whole == 0) continue;
      due_ -= whole;
      web_.Change(static_cast<uint64_t>(whole));
      now_ = web_.Snapshot();
    }
  }
  const OpicBank& bank() const { return opic_.bank(); }
  const graph::Graph& now() const { return now_; }

 private:
  static OpicOptions Options(const std::vector<Policy>& policies, uint64_t seed) {
    OpicOptions options{
        .strategy = schedule::StrategyKind::kGreedy, .genesis = Genesis::kEvenly, .seed = seed};
    for (const Policy& policy : policies) options.bank.windows.push_back(policy.window);
    return options;
  }

  ChangingGraph web_;
  double due_ = 0;    // changes not made yet, below one after each step
  graph::Graph now_;  // the simulation reads its links here
  OpicSimulation opic_;
};

// What each policy says of the web as it is now: the rest of a row.
std::vector<std::string> Quality(const std::vector<double>& x, const std::vector<double>& exact) {
  return {absl::StrFormat("%.3f", graph::MeanErrorPercent(x, exact)),
          absl::StrFormat("%.3f", graph::TopMeanErrorPercent(x, exact, 0.1)),
          absl::StrFormat("%.5f", graph::Spearman(x, exact)),
          absl::StrFormat("%.5f", graph::Ndcg(x, exact, 1000))};
}

// One row a start, change rate and policy: what it says after ten crawls of the changing web.
ExperimentResult OnChangingWeb(const graph::Graph& graph, const ExperimentOptions& options,
                               const std::vector<Policy>& policies, const std::string& title) {
  ExperimentResult result;
  result.table.columns = {"start",         "change_percent",    "window",   "window_supplies",
                          "error_percent", "top_error_percent", "spearman", "ndcg_1000"};
  result.table.keys = 3;
  result.plot = {
      title, "pages changed while N pages are visited, %", "mean error, %", Scale::kLinear, {}};
  result.plot.x_scale = Scale::kLog;
  for (const Policy& policy : policies) result.plot.series.push_back({policy.name, {}});
  for (const bool settled : {false, true}) {
    for (double rate : kRatesPercent) {
      ChangingCrawl crawl(graph, policies, options.seed);
      for (int i = 0; i < kCrawls && settled; ++i) crawl.CrawlOnce(0);
      for (int i = 0; i < kCrawls; ++i) crawl.CrawlOnce(rate);
      const std::vector<double> exact = graph::PageRank(crawl.now());
      for (size_t i = 0; i < policies.size(); ++i) {
        const std::vector<double> x = crawl.bank().WindowImportance(i);
        if (settled)
          result.plot.series[i].points.emplace_back(rate, graph::MeanErrorPercent(x, exact));
        std::vector<std::string> row = {settled ? "settled" : "new", absl::StrFormat("%g", rate),
                                        policies[i].name, policies[i].Length()};
        std::ranges::move(Quality(x, exact), std::back_inserter(row));
        result.table.rows.push_back(std::move(row));
      }
    }
  }
  return result;
}

}  // namespace

ExperimentResult Figure4(const graph::Graph& graph, const ExperimentOptions& options) {
  return OnChangingWeb(graph, options, SizesOfFigure4(Month(graph, options)),
                       "Figure 4: sizes of windows");
}

ExperimentResult Figure6(const graph::Graph& graph, const ExperimentOptions& options) {
  return OnChangingWeb(graph, options, TypesOfFigure6(Month(graph, options)),
                       "Figure 6: types of windows");
}

ExperimentResult Figure5(const graph::Graph& graph, const ExperimentOptions& options) {
  const std::vector<Policy> policies = TypesOfFigure6(Month(graph, options));
  ExperimentResult result;
  result.table.columns = {"window", "crawls", "window_supplies", "measures_per_page",
                          "bytes_per_page"};
  result.table.keys = 2;
  result.plot = {"Figure 5: measures kept",
                 "crawls of the whole graph",
                 "measures a page",
                 Scale::kLinear,
                 {}};
  for (const Policy& policy : policies) result.plot.series.push_back({policy.name, {}});
  ChangingCrawl crawl(graph, policies, options.seed);
  for (int crawls = 1; crawls <= kCrawls; ++crawls) {
    crawl.CrawlOnce(0);
    for (size_t i = 0; i < policies.size(); ++i) {
      const double measures = crawl.bank().MeasuresPerPage(i);
      result.plot.series[i].points.emplace_back(crawls, measures);
      result.table.rows.push_back({policies[i].name, absl::StrFormat("%d", crawls),
                                   policies[i].Length(), absl::StrFormat("%.2f", measures),
                                   absl::StrFormat("%.1f", crawl.bank().StoredBytesPerPage(i))});
    }
  }
  return result;
}

}  // namespace opic::sim

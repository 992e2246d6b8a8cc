// Ledger push while a crawl grows: how far the estimates are from the importance of the links known
// by then, with 0, 1 and 4 settled visits a fetch, beside a windowed crawl.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "sim/experiment_opic_order.h"
#include "sim/experiment_push_order.h"
#include "sim/experiment_runs.h"
#include "sim/push_truth.h"

namespace opic::sim {
namespace {

constexpr double kPercents[] = {1, 2, 5, 10, 20, 50, 100};  // of the pages that are read in the end
constexpr double kDefaultWindow = 8;                        // supplies

class Growth {
 public:
  Growth(const graph::Graph& graph, const ExperimentOptions& options)
      : graph_(graph), options_(options) {
    result_.table.columns = {"method",        "percent",           "known_pages",
                             "error_percent", "top_error_percent", "l1",
                             "bound",         "top_100",           "sum"};
    result_.table.keys = 2;
    result_.plot = {"A crawl that grows: against the links known by then",
                    "pages read, % of all that are read in the end",
                    "mean error, %",
                    Scale::kLog,
                    {}};
    result_.plot.x_scale = Scale::kLog;
    auto all = BreadthFirst();
    CrawlAll(graph, *all, options.seed, [&](uint32_t) { ++reachable_; });
  }

  void Push(const std::string& name, uint64_t settlements) {
    PushOrder order(graph_.pages(), settlements, {.seed = options_.seed});
    Crawl(name, order, [&] {
      const PushBank& bank = order.push().bank();
      const PushTruth truth = TruthOf(bank);
      return Measure(truth.exact, Of(truth.pages, bank.Estimate()), bank.Bound());
    });
  }

  // By the number of settled visits a fetch: the window's estimate as it is, and divided by its
  // sum, which unearned default histories make larger than 1.
  void Windowed(const std::string& name, uint64_t settlements, bool divided) {
    OpicOrder order(graph_, settlements, {.windows = {{.supplies = kDefaultWindow}}});
    std::vector<bool> read(graph_.pages());
    Crawl(
        name, order,
        [&] {
          const std::vector<double> exact = TruthOf(order.pages(), read);
          std::vector<double> x = order.bank().WindowImportance(0);
          double sum = 0;
          for (const double one : x) sum += one;
          for (double& one : x) one /= divided ? sum : 1;
          return Measure(exact, x, 0);
        },
        &read);
  }
  ExperimentResult& result() { return result_; }

 private:
  struct Measured {
    size_t known;
    PushError error;
    double sum;
  };

  static Measured Measure(const std::vector<double>& exact, const std::vector<double>& x,
                          double bound) {
    double sum = 0;
    for (const double one : x) sum += one;
    return {exact.size(),
            {graph::MeanErrorPercent(x, exact), graph::TopMeanErrorPercent(x, exact),
             graph::L1Distance(x, exact), bound, graph::TopOverlap(x, exact, 100)},
            sum};
  }

  // Exact importance of the links of the pages read; indexed as `pages`.
  std::vector<double> TruthOf(const std::vector<uint32_t>& pages, const std::vector<bool>& read) {
    std::vector<uint32_t> number(graph_.pages());
    for (uint32_t i = 0; i < pages.size(); ++i) number[pages[i]] = i;
    std::vector<graph::Edge> edges;
    for (const uint32_t page : pages) {
      if (!read[page]) continue;
      for (const uint32_t link : graph_.LinksOf(page))
        edges.push_back({number[page], number[link]});
    }
    return graph::PageRank(
        graph::Graph::FromEdges(static_cast<uint32_t>(pages.size()), std::move(edges)));
  }
  static PushTruth TruthOf(const PushBank& bank) { return sim::TruthOf(bank); }

  void Crawl(const std::string& name, OrderingPolicy& order, absl::FunctionRef<Measured()> measure,
             std::vector<bool>* read = nullptr) {
    Series series{name, {}};
    uint64_t fetched = 0;
    CrawlAll(graph_, order, options_.seed, [&](uint32_t page) {
      ++fetched;
      if (read != nullptr) (*read)[page] = true;
      for (const double percent : kPercents) {
        if (fetched != std::max<uint64_t>(1, static_cast<uint64_t>(
                                                 percent / 100 * static_cast<double>(reachable_))))
          continue;
        const Measured now = measure();
        series.points.emplace_back(percent, now.error.mean_percent);
        result_.table.rows.push_back(
            {name, absl::StrFormat("%g", percent), absl::StrCat(now.known),
             absl::StrFormat("%.3f", now.error.mean_percent),
             absl::StrFormat("%.3f", now.error.top_percent), absl::StrFormat("%.5f", now.error.l1),
             absl::StrFormat("%.5f", now.error.bound), absl::StrFormat("%.2f", now.error.top_100),
             absl::StrFormat("%.4f", now.sum)});
      }
    });
    result_.plot.series.push_back(std::move(series));
  }

  const graph::Graph& graph_;
  const ExperimentOptions& options_;
  uint64_t reachable_ = 0;
  ExperimentResult result_;
};

}  // namespace

ExperimentResult PushGrowing(const graph::Graph& graph, const ExperimentOptions& options) {
  Growth growth(graph, options);
  growth.Push("push, none settled", 0);
  growth.Push("push, 1 settled a fetch", 1);
  growth.Push("push, 4 settled a fetch", 4);
  growth.Windowed("interpolation, T = 8", 1, false);
  growth.Windowed("interpolation over its sum", 1, true);
  return std::move(growth.result());
}

}  // namespace opic::sim

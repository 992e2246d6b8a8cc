// Ledger push on a web at rest: settled visits a page against the error, from a standing start and
// after a crawl, beside the settling of a windowed crawl; and the same with credits that come late.
#include <algorithm>
#include <functional>

#include "absl/strings/str_format.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "sim/experiment_push_order.h"
#include "sim/experiment_runs.h"
#include "sim/late_post.h"
#include "sim/opic_simulation.h"
#include "sim/push_truth.h"

namespace opic::sim {
namespace {

constexpr int kStepsPerVisit = 4;
constexpr int kVisits = 8;             // a page
constexpr double kDefaultWindow = 8;   // supplies
constexpr uint64_t kCrawlSettles = 1;  // a fetch

// All links known, nothing moved.
void LearnAll(const graph::Graph& graph, PushBank& bank) {
  for (uint32_t page = 0; page < graph.pages(); ++page) bank.Birth(page);
  for (uint32_t page = 0; page < graph.pages(); ++page) bank.Learn(page, graph.LinksOf(page));
}

ExperimentResult Empty(const std::string& title) {
  ExperimentResult result;
  result.plot = {title, "settled visits a page", "mean error, %", Scale::kLog, {}};
  return result;
}

class StaticRun {
 public:
  explicit StaticRun(ExperimentResult& result) : result_(result) {
    result.table.columns = {"method", "visits_per_page", "error_percent", "top_error_percent",
                            "l1",     "bound",           "top_100"};
    result.table.keys = 2;
  }

  // Settles by and by, `settle` being a step of so many visits, and records what `error` says, from
  // the beginning or after the first step, when there is something to estimate from.
  void Settle(const std::string& method, uint64_t pages, bool from_the_beginning,
              const std::function<void(uint64_t)>& settle,
              const std::function<PushError()>& error) {
    Series series{method, {}};
    uint64_t visits = 0;
    for (int step = 0; step <= kVisits * kStepsPerVisit; ++step) {
      const uint64_t until = pages * static_cast<uint64_t>(step) / kStepsPerVisit;
      settle(until - visits);
      visits = until;
      if (step == 0 && !from_the_beginning) continue;
      const PushError now = error();
      const double per_page = static_cast<double>(step) / kStepsPerVisit;
      series.points.emplace_back(per_page, now.mean_percent);
      result_.table.rows.push_back(
          {method, absl::StrFormat("%g", per_page), absl::StrFormat("%.4f", now.mean_percent),
           absl::StrFormat("%.4f", now.top_percent), absl::StrFormat("%.6f", now.l1),
           absl::StrFormat("%.6f", now.bound), absl::StrFormat("%.2f", now.top_100)});
    }
    result_.plot.series.push_back(std::move(series));
  }

 private:
  ExperimentResult& result_;
};

PushError ErrorAgainst(const PushTruth& truth, const std::vector<double>& all, double bound) {
  const std::vector<double> x = Of(truth.pages, all);
  return {graph::MeanErrorPercent(x, truth.exact), graph::TopMeanErrorPercent(x, truth.exact),
          graph::L1Distance(x, truth.exact), bound, graph::TopOverlap(x, truth.exact, 100)};
}

void SettlePush(const std::string& method, PushSimulation& push, StaticRun& run) {
  const PushTruth truth = TruthOf(push.bank());  // settling changes no links
  run.Settle(
      method, truth.pages.size(), push.bank().flow() > 0,
      [&](uint64_t visits) { push.Settle(visits); },
      [&] { return ErrorAgainst(truth, push.bank().Estimate(), push.bank().Bound()); });
}

// The accounting with windows, chosen by the same sweep.
void SettleWindows(const std::string& method, const graph::Graph& graph, uint64_t seed, bool window,
                   StaticRun& run) {
  PushTruth truth;
  truth.exact = graph::PageRank(graph);
  for (uint32_t page = 0; page < graph.pages(); ++page) truth.pages.push_back(page);
  OpicSimulation opic(graph, {.genesis = window ? Genesis::kVirtualPage : Genesis::kEvenly,
                              .bank = {.windows = {{.supplies = kDefaultWindow}}},
                              .seed = seed});
  run.Settle(
      method, graph.pages(), false, [&](uint64_t visits) { opic.Run(visits); },
      [&] {
        return ErrorAgainst(truth,
                            window ? opic.bank().WindowImportance(0) : opic.bank().Importance(), 0);
      });
}

}  // namespace

ExperimentResult PushStatic(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result = Empty("Ledger push on a web at rest");
  StaticRun run(result);
  PushSimulation standing(graph.pages(), {.seed = options.seed});
  LearnAll(graph, standing.bank());
  SettlePush("push, standing start", standing, run);
  PushOrder order(graph.pages(), kCrawlSettles, {.seed = options.seed});
  CrawlAll(graph, order, options.seed, [](uint32_t) {});
  SettlePush("push, after a crawl", order.push(), run);
  SettleWindows("interpolation, T = 8", graph, options.seed, true, run);
  SettleWindows("H + C - C0", graph, options.seed, false, run);
  return result;
}

ExperimentResult PushDelays(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result = Empty("Ledger push on four nodes, credits between them in batches");
  StaticRun run(result);
  for (const double percent : {0.0, 0.1, 1.0, 10.0, 100.0}) {
    PushSimulation push(graph.pages(), {.seed = options.seed});
    LearnAll(graph, push.bank());
    const auto batch = static_cast<uint64_t>(percent / 100 * graph.pages());
    LatePost post(push.bank(), batch);
    if (percent > 0) push.bank().set_post(&post);
    const PushTruth truth = TruthOf(push.bank());
    const auto settle = [&](uint64_t visits) {
      // A node that is at rest waits for its batch.
      while (visits > 0) {
        const uint64_t settled = push.Settle(1);
        visits -= std::max<uint64_t>(1, settled);
        post.Tick();
      }
    };
    run.Settle(absl::StrFormat("batches of %g %% of N", percent), truth.pages.size(), false, settle,
               [&] { return ErrorAgainst(truth, push.bank().Estimate(), push.bank().Bound()); });
  }
  return result;
}

}  // namespace opic::sim

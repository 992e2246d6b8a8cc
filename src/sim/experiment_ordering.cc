// Crawl ordering: how much importance a crawl that reads each page once has collected after so many
// fetches.
#include <algorithm>

#include "absl/strings/str_format.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "sim/experiment_opic_order.h"
#include "sim/experiment_ordering_policy.h"
#include "sim/experiment_push_order.h"
#include "sim/experiment_runs.h"

namespace opic::sim {
namespace {

constexpr double kPercents[] = {0.5, 1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100};
constexpr double kPlottedPercent = 50;  // where the orders differ
constexpr char kByExactImportance[] = "by exact importance";

// The pages in the order they were fetched.
std::vector<uint32_t> FetchAll(const graph::Graph& graph, OrderingPolicy& order, uint64_t seed) {
  std::vector<uint32_t> fetched;
  CrawlAll(graph, order, seed, [&](uint32_t page) { fetched.push_back(page); });
  return fetched;
}

// What the first fetches of an order were worth.
class Yardstick {
 public:
  explicit Yardstick(const graph::Graph& graph)
      : exact_(graph::PageRank(graph)), top_(graph.pages()) {
    const size_t hundredth = std::max<size_t>(1, graph.pages() / 100);
    for (uint32_t page : graph::TopPages(exact_, hundredth)) top_[page] = true;
    top_count_ = hundredth;
  }
  const std::vector<double>& exact() const { return exact_; }

  void Record(const std::string& name, const std::vector<uint32_t>& fetched,
              ExperimentResult& result) const {
    Series series{name, {}};
    double collected = 0;
    size_t tops = 0, at = 0;
    for (double percent : kPercents) {
      const size_t until = static_cast<size_t>(percent / 100 * static_cast<double>(exact_.size()));
      for (; at < std::min(until, fetched.size()); ++at) {
        collected += exact_[fetched[at]];
        tops += top_[fetched[at]];
      }
      const double share = 100.0 * static_cast<double>(at) / static_cast<double>(exact_.size());
      if (percent <= kPlottedPercent) series.points.emplace_back(share, 100 * collected);
      result.table.rows.push_back({name, absl::StrFormat("%g", percent),
                                   absl::StrFormat("%.2f", share),
                                   absl::StrFormat("%.3f", 100 * collected),
                                   absl::StrFormat("%.2f", 100.0 * static_cast<double>(tops) /
                                                               static_cast<double>(top_count_))});
    }
    result.plot.series.push_back(std::move(series));
  }

 private:
  std::vector<double> exact_;
  std::vector<bool> top_;
  size_t top_count_ = 0;
};

// The orders of one crawl, each from the same seed pages.
class Orders {
 public:
  Orders(const std::string& title, const graph::Graph& graph, const ExperimentOptions& options)
      : graph_(graph), options_(options), yardstick_(graph) {
    result_.table.columns = {"order", "percent", "fetched_percent", "importance_percent",
                             "top_hundredth_percent"};
    result_.table.keys = 2;
    result_.plot = {title, "pages fetched, %", "importance collected, %", Scale::kLinear, {}};
    result_.plot.x_scale = Scale::kLog;
    Run(kByExactImportance, ExactOrder(yardstick_.exact()));
  }

  void Run(const std::string& name, std::unique_ptr<OrderingPolicy> order) {
    yardstick_.Record(name, FetchAll(graph_, *order, options_.seed), result_);
  }
  void RunOpic(const std::string& name, uint64_t settlements, double unread_share = 0) {
    Run(name, std::make_unique<OpicOrder>(graph_, settlements,
                                          BankOptions{.unread_share = unread_share}));
  }
  void RunPush(const std::string& name, uint64_t settlements) {
    Run(name, std::make_unique<PushOrder>(graph_.pages(), settlements));
  }
  void RunOthers() {
    Run("in-degree found", InDegreeOrder(graph_.pages()));
    Run("breadth first", BreadthFirst());
    Run("random", RandomOrder(options_.seed));
  }
  ExperimentResult& result() { return result_; }

 private:
  const graph::Graph& graph_;
  const ExperimentOptions& options_;
  const Yardstick yardstick_;
  ExperimentResult result_;
};

}  // namespace

ExperimentResult CrawlOrdering(const graph::Graph& graph, const ExperimentOptions& options) {
  Orders orders("Crawl ordering", graph, options);
  orders.RunOpic("OPIC, 4 settled a fetch", 4);
  orders.RunOpic("OPIC, none settled", 0);
  orders.RunOpic("OPIC, half to unread", 4, 0.5);
  orders.RunOpic("OPIC, all to unread", 4, 1);
  orders.RunOthers();
  return std::move(orders.result());
}

ExperimentResult PushOrdering(const graph::Graph& graph, const ExperimentOptions& options) {
  Orders orders("Crawl ordering by ledger push", graph, options);
  orders.RunPush("push, 4 settled a fetch", 4);
  orders.RunPush("push, 1 settled a fetch", 1);
  orders.RunPush("push, none settled", 0);
  orders.RunOpic("OPIC, 4 settled a fetch", 4);
  orders.RunOthers();
  return std::move(orders.result());
}

}  // namespace opic::sim

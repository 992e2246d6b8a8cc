// Crawl ordering: how much importance a crawl that reads each page once has collected after so many
// fetches.
#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/rng.h"
#include "sim/errors.h"
#include "sim/experiment_crawl_order.h"
#include "sim/experiment_runs.h"
#include "sim/pagerank.h"

namespace opic::sim {
namespace {

constexpr double kPercents[] = {0.5, 1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100};
constexpr double kPlottedPercent = 30;  // where the orders differ
constexpr uint32_t kSeeds = 10;

// The pages in the order they were fetched, from random seed pages until no known page is left.
std::vector<uint32_t> FetchAll(const Graph& graph, CrawlOrder& order, uint64_t seed) {
  std::vector<bool> known(graph.pages());
  uint64_t waiting = 0;
  const auto find = [&](uint32_t page) {
    if (known[page]) return;
    known[page] = true;
    ++waiting;
    order.Found(page);
  };
  base::Rng rng(seed);
  for (uint32_t i = 0; i < kSeeds; ++i) find(static_cast<uint32_t>(rng.Below(graph.pages())));
  std::vector<uint32_t> fetched;
  for (; waiting > 0; --waiting) {
    const uint32_t page = order.Next();
    fetched.push_back(page);
    for (uint32_t link : graph.LinksOf(page)) find(link);
    order.Fetched(page, graph.LinksOf(page));
  }
  return fetched;
}

// What the first fetches of an order were worth.
class Yardstick {
 public:
  explicit Yardstick(const Graph& graph) : exact_(PageRank(graph)), top_(graph.pages()) {
    const size_t hundredth = std::max<size_t>(1, graph.pages() / 100);
    for (uint32_t page : TopPages(exact_, hundredth)) top_[page] = true;
    top_count_ = hundredth;
  }
  const std::vector<double>& exact() const { return exact_; }

  void Record(const std::string& name, const std::vector<uint32_t>& fetched,
              ExperimentResult& result) const {
    Series series{name, {{0, 0}}};
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

}  // namespace

ExperimentResult CrawlOrdering(const Graph& graph, const ExperimentOptions& options) {
  const Yardstick yardstick(graph);
  ExperimentResult result;
  result.table.columns = {"order", "percent", "fetched_percent", "importance_percent",
                          "top_hundredth_percent"};
  result.table.keys = 2;
  result.plot = {
      "Crawl ordering", "pages fetched, %", "importance collected, %", Scale::kLinear, {}};
  yardstick.Record("best possible", TopPages(yardstick.exact(), graph.pages()), result);
  const auto run = [&](const std::string& name, std::unique_ptr<CrawlOrder> order) {
    yardstick.Record(name, FetchAll(graph, *order, options.seed), result);
  };
  run("OPIC, 4 settled a fetch", OpicOrder(graph, 4));
  run("OPIC, none settled", OpicOrder(graph, 0));
  run("OPIC, half to unread", OpicOrder(graph, 4, 0.5));
  run("OPIC, all to unread", OpicOrder(graph, 4, 1));
  run("in-degree found", InDegreeOrder(graph.pages()));
  run("breadth first", BreadthFirst());
  run("random", RandomOrder(options.seed));
  return result;
}

}  // namespace opic::sim

// Ledger push on a web that changes while it is read in cycle order, beside the windows on the same
// fetches and the limit: the exact importance of the links as last read.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "schedule/threshold_sweep.h"
#include "sim/experiment_changing_graph.h"
#include "sim/experiment_runs.h"
#include "sim/opic_simulation.h"
#include "sim/push_simulation.h"
#include "sim/push_truth.h"

namespace opic::sim {
namespace {

using importance::WindowKind;
using importance::WindowOptions;

constexpr int kCrawlsBefore = 10, kCrawls = 10;
constexpr int kStepsPerCrawl = 5;  // the web changes after each step
constexpr double kRatesPercent[] = {0, 1, 5, 20};
constexpr double kTau = 0.03;         // of settling on demand
constexpr uint64_t kDemandMax = 100;  // settled visits a fetch

// A window of a table, in crawls' worth of the clock.
struct Policy {
  std::string name;
  WindowKind kind;
  int length;  // months, or measures
};

const std::vector<Policy>& Policies() {
  static const auto* policies = new std::vector<Policy>{
      {"variable, 4 measures", WindowKind::kVariable, 4},
      {"variable, 8 measures", WindowKind::kVariable, 8},
      {"variable, 16 measures", WindowKind::kVariable, 16},
      {"fixed, 4 months", WindowKind::kFixed, 4},
      {"fixed, 8 months", WindowKind::kFixed, 8},
      {"improved-fixed, 4 months", WindowKind::kImprovedFixed, 4},
      {"interpolation, 2 months", WindowKind::kInterpolation, 2},
      {"interpolation, 4 months", WindowKind::kInterpolation, 4},
      {"interpolation, 8 months", WindowKind::kInterpolation, 8},
      {"no window", WindowKind::kNone, 0},
  };
  return *policies;
}

std::vector<WindowOptions> WindowsOf(double month) {
  std::vector<WindowOptions> windows;
  for (const Policy& policy : Policies()) {
    WindowOptions window{.kind = policy.kind};
    if (policy.kind == WindowKind::kVariable) {
      window.measures = static_cast<uint32_t>(policy.length);
    } else if (policy.kind != WindowKind::kNone) {
      window.supplies = policy.length * month;
    }
    windows.push_back(window);
  }
  return windows;
}

// OPIC with windows, its pages read by others; settled by the sweep over cash.
class OpicReader {
 public:
  OpicReader(uint32_t pages, uint64_t settlements, double month)
      : bank_({.windows = WindowsOf(month)}), pool_(bank_), settlements_(settlements) {
    for (uint32_t i = 0; i < pages; ++i) bank_.AddPage();
    bank_.EndowEvenly();
  }
  // `known` are the links of all pages as last read, `page` among them.
  void Read(uint32_t page, const std::vector<std::vector<uint32_t>>& known) {
    bank_.Visit(page, known[page]);
    for (uint64_t settled = 0; settled < settlements_; ++settled) {
      chosen_.clear();
      while (chosen_.empty()) sweep_.Choose(pool_, 1, pool_.slots(), chosen_);
      const auto next = static_cast<uint32_t>(chosen_.front().page.id());
      bank_.Visit(next, known[next]);
    }
  }
  double clock() const {
    return static_cast<double>(bank_.clock()) / static_cast<double>(cash::kSupply.units());
  }
  const OpicBank& bank() const { return bank_; }

 private:
  OpicBank bank_;
  BankPool pool_;
  const uint64_t settlements_;
  schedule::ThresholdSweep sweep_;
  std::vector<schedule::Candidate> chosen_;
};

// What one crawl adds to the clock, in supplies.
double Month(const graph::Graph& graph, uint64_t settlements) {
  OpicReader reader(graph.pages(), settlements, 1);
  std::vector<std::vector<uint32_t>> known(graph.pages());
  for (uint32_t page = 0; page < graph.pages(); ++page) {
    const auto links = graph.LinksOf(page);
    known[page].assign(links.begin(), links.end());
  }
  for (int crawl = 0; crawl < 2; ++crawl) {
    for (uint32_t page = 0; page < graph.pages(); ++page) reader.Read(page, known);
  }
  return reader.clock() / 2;
}

struct PushReader {
  std::string name;
  PushSimulation push;
  uint64_t settlements;  // a fetch
  bool on_demand;
  uint64_t settled = 0;

  PushReader(std::string name_of, uint32_t pages, uint64_t seed, uint64_t settles, bool demand)
      : name(std::move(name_of)),
        push(pages, {.seed = seed}),
        settlements(settles),
        on_demand(demand) {
    for (uint32_t page = 0; page < pages; ++page) push.bank().Birth(page);
  }
  void Read(uint32_t page, absl::Span<const uint32_t> links) {
    push.bank().Visit(page, links);
    settled += on_demand ? push.SettleTo(kTau, kDemandMax) : push.Settle(settlements);
  }
};

// All accountings side by side on the same fetches of one changing web.
class ReReading {
 public:
  ReReading(const graph::Graph& graph, uint64_t seed, const double (&months)[2])
      : now_(graph),
        web_(graph, seed),
        known_(graph.pages()),
        push_{{"push, none settled", graph.pages(), seed, 0, false},
              {"push, 1 settled a fetch", graph.pages(), seed, 1, false},
              {"push, settled on demand", graph.pages(), seed, 0, true}},
        opic_{{graph.pages(), 0, months[0]}, {graph.pages(), 1, months[1]}} {}

  // Reads every page once, while `rate` percent of the pages change.
  void CrawlOnce(double rate) {
    for (uint32_t page = 0; page < now_.pages(); ++page) {
      const auto links = now_.LinksOf(page);
      known_[page].assign(links.begin(), links.end());
      for (PushReader& push : push_) push.Read(page, links);
      for (OpicReader& opic : opic_) opic.Read(page, known_);
      const uint64_t step = now_.pages() / kStepsPerCrawl;
      if (page % step == step - 1) Change(rate);
    }
  }
  void ForgetSettled() {
    for (PushReader& push : push_) push.settled = 0;
  }
  const graph::Graph& now() const { return now_; }
  const PushReader (&push() const)[3] { return push_; }
  const OpicReader (&opic() const)[2] { return opic_; }

 private:
  void Change(double rate) {
    due_ += rate / 100 * now_.pages() / kStepsPerCrawl;
    const double whole = std::floor(due_);
    if (whole == 0) return;
    due_ -= whole;
    web_.Change(static_cast<uint64_t>(whole));
    now_ = web_.Snapshot();
  }

  graph::Graph now_;
  ChangingGraph web_;
  double due_ = 0;
  std::vector<std::vector<uint32_t>> known_;
  PushReader push_[3];
  OpicReader opic_[2];
};

// The errors of one rate as rows, and the plotted ones as points.
class RateRows {
 public:
  RateRows(double rate, std::vector<double> exact, ExperimentResult& result)
      : rate_(rate), exact_(std::move(exact)), result_(result) {}

  void Add(const std::string& name, const std::vector<double>& x, double settled, bool plotted) {
    Row(name, {graph::MeanErrorPercent(x, exact_), graph::TopMeanErrorPercent(x, exact_)}, settled,
        plotted);
  }
  // Every window, and the best of them, each column its own.
  void AddWindows(const std::string& settled_name, const OpicReader& opic, double settled) {
    Errors best{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (size_t i = 0; i < Policies().size(); ++i) {
      const std::vector<double> x = opic.bank().WindowImportance(i);
      const Errors errors{graph::MeanErrorPercent(x, exact_),
                          graph::TopMeanErrorPercent(x, exact_)};
      best = {std::min(best.all, errors.all), std::min(best.top, errors.top)};
      Row(absl::StrCat(Policies()[i].name, ", ", settled_name), errors, settled, false);
    }
    Row(absl::StrCat("best window, ", settled_name), best, settled, true);
  }

 private:
  struct Errors {
    double all, top;
  };
  void Row(const std::string& name, Errors errors, double settled, bool plotted) {
    result_.table.rows.push_back(
        {name, absl::StrFormat("%g", rate_), absl::StrFormat("%.3f", errors.all),
         absl::StrFormat("%.3f", errors.top), absl::StrFormat("%.3f", settled)});
    if (!plotted) return;
    const auto at = std::ranges::find(result_.plot.series, name, &Series::name);
    Series& series =
        at != result_.plot.series.end() ? *at : result_.plot.series.emplace_back(Series{name, {}});
    series.points.emplace_back(rate_, errors.all);
  }

  const double rate_;
  const std::vector<double> exact_;
  ExperimentResult& result_;
};

}  // namespace

ExperimentResult PushChanging(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  result.table.columns = {"method", "change_percent", "error_percent", "top_error_percent",
                          "settled_per_fetch"};
  result.table.keys = 2;
  result.plot = {"Ledger push on a changing web, read in cycles",
                 "pages changed while N pages are read, %",
                 "mean error, %",
                 Scale::kLog,
                 {}};
  result.plot.x_scale = Scale::kLog;
  const double months[] = {Month(graph, 0), Month(graph, 1)};
  for (const double rate : kRatesPercent) {
    ReReading reading(graph, options.seed, months);
    for (int crawl = 0; crawl < kCrawlsBefore; ++crawl) reading.CrawlOnce(0);
    reading.ForgetSettled();
    for (int crawl = 0; crawl < kCrawls; ++crawl) reading.CrawlOnce(rate);
    RateRows rows(rate, graph::PageRank(reading.now()), result);
    rows.Add("limit", TruthOf(reading.push()[0].push.bank()).exact, 0, rate > 0);
    const double fetches = static_cast<double>(kCrawls) * graph.pages();
    for (const PushReader& push : reading.push()) {
      rows.Add(push.name, push.push.bank().Estimate(), static_cast<double>(push.settled) / fetches,
               true);
    }
    rows.AddWindows("none settled", reading.opic()[0], 0);
    rows.AddWindows("1 settled a fetch", reading.opic()[1], 1);
  }
  return result;
}

}  // namespace opic::sim

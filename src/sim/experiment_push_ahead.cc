// Ledger push with settled pages that pay ahead (importance/relaxation.h): settled visits a page
// until the bound is low, from a standing start, by factors that stay and by the one that is
// measured.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "importance/relaxation.h"
#include "sim/experiment_runs.h"
#include "sim/push_simulation.h"

namespace opic::sim {
namespace {

constexpr double kBounds[] = {0.01, 0.0025};
// With a factor that makes cash grow it never ends: told as the most visits a page.
constexpr uint64_t kVisitsMost = 40;
constexpr Money kCashMost = 100;  // of all bases
constexpr uint64_t kLooksAPage = 100, kPointsAPage = 10;

// The same factor for ever.
class FixedAhead final : public PayingAhead {
 public:
  FixedAhead(double omega, bool without_links) : omega_(omega), without_links_(without_links) {}
  int64_t Beyond(int64_t cash, bool has_links) override {
    if (!has_links && !without_links_) return 0;
    return std::llround((omega_ - 1) * static_cast<double>(cash));
  }
  void Paid(Money) override {}

 private:
  const double omega_;
  const bool without_links_;
};

// As the ledger does it, with groups of one visit.
class MeasuredAhead final : public PayingAhead {
 public:
  explicit MeasuredAhead(Money held) : relaxation_(cash::SmallEdge()) { Paid(held); }
  int64_t Beyond(int64_t cash, bool has_links) override {
    return relaxation_.Beyond(cash::Amount(cash), has_links).units();
  }
  void Paid(Money held) override { relaxation_.GroupEnds(held); }

 private:
  importance::Relaxation relaxation_;
};

// Settles from the beginning, with all links known, and adds a row for each bound.
void Settle(const graph::Graph& graph, const std::string& method, uint64_t seed, PayingAhead& ahead,
            ExperimentResult& result) {
  PushSimulation push(graph.pages(), {.seed = seed});
  PushBank& bank = push.bank();
  for (uint32_t page = 0; page < graph.pages(); ++page) bank.Birth(page);
  for (uint32_t page = 0; page < graph.pages(); ++page) bank.Learn(page, graph.LinksOf(page));
  push.set_paying_ahead(&ahead);
  const uint64_t pages = bank.pages(), look = std::max<uint64_t>(1, pages / kLooksAPage);
  const auto per = [](uint64_t count, uint64_t of) {
    return static_cast<double>(count) / static_cast<double>(std::max<uint64_t>(1, of));
  };
  Series series{method, {}};
  uint64_t visits = 0, look_number = 0;
  for (size_t next = 0; next < std::size(kBounds);) {
    visits += push.Settle(look);
    const bool ends = visits >= kVisitsMost * pages || bank.read_cash_size() == 0 ||
                      bank.read_cash_size() > kCashMost * bank.base_sum();
    const double bound = bank.Bound();
    if (std::isfinite(bound) && look_number++ % (kLooksAPage / kPointsAPage) == 0)
      series.points.emplace_back(per(visits, pages), 100 * std::min(bound, 2.0));
    for (; next < std::size(kBounds) && (bound <= kBounds[next] || ends); ++next) {
      const uint64_t told = bound <= kBounds[next] ? visits : kVisitsMost * pages;
      result.table.rows.push_back({method, absl::StrFormat("%g", 100 * kBounds[next]),
                                   absl::StrFormat("%.2f", per(told, pages)),
                                   absl::StrFormat("%.1f", per(bank.credits(), visits))});
    }
  }
  result.plot.series.push_back(std::move(series));
}

}  // namespace

ExperimentResult PushAhead(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  result.plot = {"Ledger push with pages that pay ahead",
                 "settled visits a page",
                 "bound, %",
                 Scale::kLog,
                 {}};
  result.table.columns = {"omega", "bound_percent", "visits_per_page", "credits_per_visit"};
  result.table.keys = 2;
  for (const double omega : {1.0, 1.05, 1.1, 1.2, 1.3}) {
    FixedAhead ahead(omega, /*without_links=*/false);
    Settle(graph, absl::StrFormat("%g", omega), options.seed, ahead, result);
  }
  FixedAhead all(1.2, /*without_links=*/true);
  Settle(graph, "1.2, also without links", options.seed, all, result);
  MeasuredAhead measured(Money{graph.pages()} * PushOptions().base);
  Settle(graph, "measured", options.seed, measured, result);
  return result;
}

}  // namespace opic::sim

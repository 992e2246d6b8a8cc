// What harms ledger push and what heals it: cells that round, credits lost or doubled, lost disks.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "sim/experiment_changing_graph.h"
#include "sim/experiment_runs.h"
#include "sim/push_simulation.h"
#include "sim/push_truth.h"

namespace opic::sim {
namespace {

constexpr uint64_t kSettles = 4;    // a fetch
constexpr int kLongCrawls = 60;     // with a fetch each that is 300 visits a page
constexpr double kLongRate = 1;     // percent of the pages change a crawl
constexpr double kLoss = 1.0 / 16;  // of the pages
constexpr int kVisitsToRest = 12;   // a page: what is left is drift

// Sums of what cells hold more or less than the equation asks, by page, in bases.
double Drift(const PushBank& bank) {
  const std::vector<int64_t> restated = bank.Restated();
  double drift = 0, pages = 0;
  for (uint32_t page = 0; page < bank.pages(); ++page) {
    if (bank.StateOf(page) == PageState::kUnknown) continue;
    const int64_t off = bank.CashOf(page) - restated[page];
    drift += std::abs(static_cast<double>(off)) / static_cast<double>(bank.BaseOf(page));
    ++pages;
  }
  return drift / pages;
}

// A web that is read in cycles by one bank.
class Reader {
 public:
  Reader(const graph::Graph& graph, const PushOptions& options)
      : now_(graph), web_(graph, options.seed), push_(graph.pages(), options) {
    for (uint32_t page = 0; page < graph.pages(); ++page) push_.bank().Birth(page);
  }
  // Reads every page once, `rate` percent having changed since the last time.
  void CrawlOnce(double rate, uint64_t settlements) {
    const auto changes = static_cast<uint64_t>(std::llround(rate / 100 * now_.pages()));
    if (changes > 0) {
      web_.Change(changes);
      now_ = web_.Snapshot();
    }
    for (uint32_t page = 0; page < now_.pages(); ++page) {
      Read(page);
      push_.Settle(settlements);
    }
  }
  void Read(uint32_t page) { push_.bank().Visit(page, now_.LinksOf(page)); }
  // So many settled visits a page.
  void Settle(int visits) { push_.Settle(static_cast<uint64_t>(visits) * now_.pages()); }
  PushBank& bank() { return push_.bank(); }

 private:
  graph::Graph now_;
  ChangingGraph web_;
  PushSimulation push_;
};

// Rows of one experiment: an error at each moment of a case.
class Moments {
 public:
  explicit Moments(const std::string& title, ExperimentResult& result) : result_(result) {
    result_.table.columns = {"case", "moment", "error_percent", "top_error_percent",
                             "l1",   "bound",  "drift_bases"};
    result_.table.keys = 2;
    result_.plot = {title, "moment, in the order of the table", "mean error, %", Scale::kLog, {}};
  }
  void Begin(const std::string& name) { result_.plot.series.push_back({name, {}}); }
  void Record(const std::string& moment, const PushBank& bank) {
    const PushError error = ErrorOf(bank);
    Series& series = result_.plot.series.back();
    series.points.emplace_back(static_cast<double>(series.points.size() + 1), error.mean_percent);
    result_.table.rows.push_back(
        {series.name, moment, absl::StrFormat("%.5f", error.mean_percent),
         absl::StrFormat("%.5f", error.top_percent), absl::StrFormat("%.7f", error.l1),
         absl::StrFormat("%.7f", error.bound), absl::StrFormat("%.6f", Drift(bank))});
  }

 private:
  ExperimentResult& result_;
};

// Loses some of the credits, or delivers them twice.
class FaultyPost final : public CreditPost {
 public:
  FaultyPost(PushBank& bank, uint64_t one_in, bool twice, uint64_t seed)
      : bank_(bank), one_in_(one_in), twice_(twice), rng_(seed) {}
  void Take(uint32_t, uint32_t to, int64_t amount) override {
    const bool fault = rng_.Below(one_in_) == 0;
    if (!fault || twice_) bank_.Credit(to, amount);
    if (fault && twice_) bank_.Credit(to, amount);
  }

 private:
  PushBank& bank_;
  const uint64_t one_in_;
  const bool twice_;
  base::Rng rng_;
};

void LosePages(Reader& reader, uint64_t seed) {
  base::Rng rng(seed);
  for (uint32_t page = 0; page < reader.bank().pages(); ++page) {
    if (rng.Uniform() >= kLoss) continue;
    reader.bank().LosePage(page);
    reader.Read(page);
  }
}

struct Fault {
  uint64_t one_in = 0;     // of so many credits one is lost; 0: none is
  bool twice = false;      // it is paid twice instead
  bool lost_disk = false;  // at the end
  bool rolling = false;    // the restatement goes on by and by
};

// Ten crawls at 1 % of changes with a faulty post, or a disk lost at their end; then what settling,
// a long time and a restatement do about it.
void FaultCase(const std::string& name, const graph::Graph& graph, uint64_t seed,
               const Fault& fault, Moments& moments) {
  moments.Begin(name);
  Reader reader(graph, {.seed = seed});
  FaultyPost post(reader.bank(), std::max<uint64_t>(1, fault.one_in), fault.twice, seed);
  reader.CrawlOnce(0, kSettles);
  if (fault.one_in > 0) reader.bank().set_post(&post);
  for (int crawl = 0; crawl < 3; ++crawl) reader.CrawlOnce(kLongRate, kSettles);
  reader.bank().set_post(nullptr);
  if (fault.lost_disk) LosePages(reader, seed);
  moments.Record("1 after the fault", reader.bank());
  reader.Settle(2);
  moments.Record("2 two visits a page later", reader.bank());
  reader.Settle(10);
  moments.Record("3 ten more later", reader.bank());
  if (fault.rolling) {
    reader.bank().BeginRestating();
    const uint32_t piece = std::max<uint32_t>(1, graph.pages() / 100);
    while (!reader.bank().RestateNext(piece)) {
      for (uint32_t page = 0; page < piece; ++page) reader.Read(page);
    }
  } else {
    reader.bank().Restate();
  }
  moments.Record("4 restated", reader.bank());
  reader.Settle(2);
  moments.Record("5 two visits a page later", reader.bank());
  reader.Settle(2);
  moments.Record("6 two more later", reader.bank());
}

}  // namespace

ExperimentResult PushCells(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  Moments moments("Ledger push in cells that round", result);
  const std::pair<const char*, PushCell> cells[] = {
      {"exact", {}},
      {"10 bits, without bias", {Rounding::kUnbiased, 10}},
      {"12 bits, without bias", {Rounding::kUnbiased, 12}},
      {"14 bits, without bias", {Rounding::kUnbiased, 14}},
      {"10 bits, rounding down", {Rounding::kDown, 10}},
      {"14 bits, rounding down", {Rounding::kDown, 14}},
  };
  for (const auto& [name, cell] : cells) {
    moments.Begin(name);
    Reader reader(graph, {.cells = cell, .seed = options.seed});
    reader.CrawlOnce(0, 0);
    reader.Settle(kVisitsToRest);
    moments.Record("1 at rest", reader.bank());
    for (int crawl = 0; crawl < kLongCrawls; ++crawl) reader.CrawlOnce(kLongRate, kSettles);
    moments.Record("2 after 300 visits a page", reader.bank());
    reader.Settle(kVisitsToRest);
    moments.Record("3 at rest again", reader.bank());
    reader.bank().Restate();
    reader.Settle(4);
    moments.Record("4 restated, four visits a page later", reader.bank());
  }
  return result;
}

ExperimentResult PushFailures(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  Moments moments("Ledger push after faults", result);
  FaultCase("no fault", graph, options.seed, {}, moments);
  FaultCase("1 % of credits lost", graph, options.seed, {.one_in = 100}, moments);
  FaultCase("1 % of credits doubled", graph, options.seed, {.one_in = 100, .twice = true}, moments);
  FaultCase("1/16 of the pages lost", graph, options.seed, {.lost_disk = true}, moments);
  FaultCase("the same, rolling restatement", graph, options.seed,
            {.lost_disk = true, .rolling = true}, moments);
  return result;
}

}  // namespace opic::sim

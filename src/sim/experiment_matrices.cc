// The link matrices of paper section 1: how fast (dagger), (dagger prime) and on-line OPIC come to
// the importance of each.
#include "absl/strings/str_format.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "sim/experiment_runs.h"
#include "sim/matrix_opic.h"
#include "sim/opic_simulation.h"

namespace opic::sim {
namespace {

constexpr int kCrawls = 10;

struct MatrixCase {
  std::string name;
  graph::LinkMatrix matrix;
  bool undirected;
};

// Compares with the fixpoint of one matrix and fills the result.
class MatrixRun {
 public:
  MatrixRun(const MatrixCase& matrix, const graph::Graph& links, const ExperimentOptions& options,
            ExperimentResult& result)
      : matrix_(matrix), links_(links), options_(options), result_(result) {
    exact_ = graph::PageRank(links, {.matrix = matrix.matrix});
  }

  void All() {
    OffLine("off-line (†)", false);
    OffLine("off-line (†′)", true);
    for (const auto kind : {schedule::StrategyKind::kCycle, schedule::StrategyKind::kGreedy}) {
      OnLine(kind);
    }
  }

 private:
  // One iteration reads every page once, as a crawl does.
  void OffLine(const std::string& method, bool plus_identity) {
    Begin(method, !plus_identity || matrix_.matrix == graph::LinkMatrix::kAdjacency);
    for (int crawl = 1; crawl <= kCrawls; ++crawl) {
      Record(crawl, graph::PageRank(links_, {.matrix = matrix_.matrix,
                                             .plus_identity = plus_identity,
                                             .l1_change_max = 0,
                                             .iterations_max = static_cast<uint32_t>(crawl)}));
    }
  }

  void OnLine(schedule::StrategyKind kind) {
    Begin("OPIC, " + std::string(schedule::Name(kind)), kind == schedule::StrategyKind::kGreedy);
    if (matrix_.matrix == graph::LinkMatrix::kAdjacency) {
      RunAndRecord(MatrixOpic(links_, {.strategy = kind, .seed = options_.seed}),
                   [](const MatrixOpic& opic) { return opic.Importance(); });
    } else {
      RunAndRecord(
          OpicSimulation(links_,
                         {.strategy = kind, .genesis = Genesis::kEvenly, .seed = options_.seed}),
          [](const OpicSimulation& opic) { return opic.bank().Importance(); });
    }
  }

  template <typename Opic, typename Estimate>
  void RunAndRecord(Opic&& opic, Estimate estimate) {
    for (int crawl = 1; crawl <= kCrawls; ++crawl) {
      opic.Run(links_.pages());
      Record(crawl, estimate(opic));
    }
  }

  // Eight lines are enough for a plot: Cycle and the random walk's (†′) are in the table alone.
  void Begin(const std::string& method, bool plotted) {
    method_ = method;
    plotted_ = plotted;
    if (plotted) result_.plot.series.push_back({matrix_.name + ", " + method, {}});
  }

  void Record(int crawl, const std::vector<double>& x) {
    const double error = graph::MeanErrorPercent(x, exact_);
    if (plotted_) result_.plot.series.back().points.emplace_back(crawl, error);
    result_.table.rows.push_back(
        {matrix_.name, method_, absl::StrFormat("%d", crawl), absl::StrFormat("%.4f", error),
         absl::StrFormat("%.4f", graph::TopMeanErrorPercent(x, exact_, 0.1)),
         absl::StrFormat("%.6f", graph::Spearman(x, exact_)),
         absl::StrFormat("%.6f", graph::Ndcg(x, exact_, 1000))});
  }

  const MatrixCase& matrix_;
  const graph::Graph& links_;
  const ExperimentOptions& options_;
  ExperimentResult& result_;
  std::vector<double> exact_;
  std::string method_;
  bool plotted_ = true;
};

}  // namespace

ExperimentResult Matrices(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  result.table.columns = {"matrix",   "method",   "crawls", "error_percent", "top_error_percent",
                          "spearman", "ndcg_1000"};
  result.table.keys = 3;
  result.plot = {"Link matrices",
                 "pages visited, in crawls of the whole graph",
                 "mean error, %",
                 Scale::kLog,
                 {}};
  const graph::Graph undirected = graph.Undirected();
  for (const MatrixCase& matrix : {MatrixCase{"random walk", graph::LinkMatrix::kRandomWalk, false},
                                   MatrixCase{"adjacency", graph::LinkMatrix::kAdjacency, false},
                                   MatrixCase{"undirected", graph::LinkMatrix::kAdjacency, true}}) {
    MatrixRun(matrix, matrix.undirected ? undirected : graph, options, result).All();
  }
  return result;
}

}  // namespace opic::sim

// opic-modules: rank graph sim base
// The simulator on the paper's synthetic graph, measured:
//
//     sim_bench [--pages=1000000] [--crawls=1]
//
// Prints what each strategy costs a visit, in processor time, and what the graph and the exact
// importance cost.
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "graph/errors.h"
#include "graph/pagerank.h"
#include "graph/power_law.h"
#include "sim/opic_simulation.h"

namespace opic::sim {
namespace {

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds since the one before.
double Lap() {
  static double then = 0;
  const double now = ProcessorSeconds(), lap = now - then;
  then = now;
  return lap;
}

void Run(uint32_t pages, uint32_t crawls) {
  Lap();
  const graph::Graph graph = graph::PowerLawGraph(pages, base::Rng(1));
  std::printf("%u pages, %lu links: made in %.2f s\n", graph.pages(), graph.links(), Lap());
  const graph::Ranking exact = graph::RankPages(graph);
  std::printf("exact importance: %u iterations in %.2f s\n", exact.iterations, Lap());
  for (const auto kind :
       {schedule::StrategyKind::kRandom, schedule::StrategyKind::kCycle,
        schedule::StrategyKind::kGreedy, schedule::StrategyKind::kThresholdSweep}) {
    OpicSimulation opic(graph, {.strategy = kind, .genesis = Genesis::kEvenly});
    opic.Run(uint64_t{pages} * crawls);
    const double seconds = Lap();
    const double error = graph::MeanErrorPercent(opic.bank().Importance(), exact.importance);
    std::printf("%-8s %u crawls in %.2f s, %.0f ns a visit; error %.2f %%\n",
                std::string(schedule::Name(kind)).c_str(), crawls, seconds,
                seconds * 1e9 / pages / crawls, error);
    Lap();
  }
}

int Main(int argc, char** argv) {
  uint32_t pages = 1'000'000, crawls = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string_view::npos) continue;
    const auto value = static_cast<uint32_t>(std::stoul(argv[i] + equals + 1));
    if (argument.starts_with("--pages=")) pages = value;
    if (argument.starts_with("--crawls=")) crawls = value;
  }
  Run(pages, crawls);
  return 0;
}

}  // namespace
}  // namespace opic::sim

int main(int argc, char** argv) { return opic::sim::Main(argc, argv); }

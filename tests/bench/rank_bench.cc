// opic-modules: rank graph sim base
// Off-line ranking (docs/algorithm.md section 5, thesis Table 2.1), measured:
//
//     rank_bench [--pages=1000000] [--links=20000000] [--memory=BYTES] [--workers=2]
//                [--order=jacobi|gauss-seidel|chaotic] [--both] [--inverse] [--double]
//                [--change=1e-6] [--iterations=100] [--power-law] [--folder=/tmp]
//
// Sources are uniform; targets too, or by a power law of exponent 2.1. Without --memory the graph
// is held in memory. Prints a line a figure. RSS is the kernel's peak of the whole process.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/rng.h"
#include "rank/iteration.h"
#include "rank/links.h"

namespace opic::rank {
namespace {

struct Flags {
  uint64_t pages = 1'000'000, links = 20'000'000;
  bool both = false, inverse = false, power_law = false;
  SlicePlan plan;
  RankOptions options;
};

double Seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

// Targets of a power law: a page's expected in-degree falls with its number as number^(-1 / 1.1).
uint64_t Target(base::Rng& rng, const Flags& flags) {
  if (!flags.power_law) return rng.Below(flags.pages);
  const double share = std::pow(rng.Uniform(), 11.0);
  const auto page = static_cast<uint64_t>(share * static_cast<double>(flags.pages));
  // Important pages lie anywhere.
  return base::Mix64(page) % flags.pages;
}

std::unique_ptr<LinkStore> Build(const Flags& flags) {
  base::Rng rng(1);
  RankLinks links = RankLinks::Begin(flags.plan).value();
  links.AddPages(static_cast<uint32_t>(flags.pages));
  for (uint64_t i = 0; i < flags.links; ++i) {
    const uint64_t from = rng.Below(flags.pages);
    const absl::Status status = links.Add(from, Target(rng, flags));
    OPIC_CHECK(status.ok()) << status.message();
  }
  auto store = std::move(links).Finish();
  OPIC_CHECK(store.ok()) << store.status().message();
  return *std::move(store);
}

void Run(Flags flags) {
  const double begin = Seconds(CLOCK_MONOTONIC);
  const std::unique_ptr<LinkStore> store = Build(flags);
  std::printf("%u pages, %lu distinct links %s, made in %.1f s; peak RSS %.0f MB\n", store->pages(),
              store->links(), store->on_disk() ? "on disk" : "in memory",
              Seconds(CLOCK_MONOTONIC) - begin, PeakMegabytes());
  Rankings rankings;
  if (flags.both || !flags.inverse) rankings[0] = Personalisation();
  if (flags.both || flags.inverse) rankings[1] = Personalisation();
  const auto engine = store->Prepare(flags.options, rankings);
  OPIC_CHECK(engine.ok()) << engine.status().message();
  const double arcs = static_cast<double>(store->links()) * (flags.both ? 2 : 1) / 1e6;
  double cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID), best = 1e9, best_cpu = 1e9, sum = 0;
  const auto summary = Iterate(**engine, flags.options, [&](const RankProgress& progress) {
    const double cpu_now = Seconds(CLOCK_PROCESS_CPUTIME_ID);
    std::printf(
        "iteration %2u: change %.2e, %.3f s (%.3f s of processor), %.0f M arcs/s, read %.0f "
        "MB, wrote %.0f MB\n",
        progress.iteration, progress.change, progress.seconds, cpu_now - cpu,
        arcs / progress.seconds, static_cast<double>(progress.bytes_read) / 1e6,
        static_cast<double>(progress.bytes_written) / 1e6);
    std::fflush(stdout);
    best_cpu = std::min(best_cpu, cpu_now - cpu);
    cpu = cpu_now;
    best = std::min(best, progress.seconds);
    sum += progress.seconds;
    return true;
  });
  OPIC_CHECK(summary.ok()) << summary.status().message();
  std::printf("%u iterations to %.2e; %.3f s each, best %.3f s = %.0f M arcs/s; peak RSS %.0f MB\n",
              summary->iterations, summary->change, sum / summary->iterations, best, arcs / best,
              PeakMegabytes());
  std::printf("a processor does %.0f M arcs/s\n", arcs / best_cpu);
}

bool Take(std::string_view argument, std::string_view name, std::string& value) {
  if (!argument.starts_with(name)) return false;
  value = std::string(argument.substr(name.size()));
  return true;
}

void Set(Flags& flags, std::string_view argument) {
  std::string value;
  if (Take(argument, "--pages=", value)) flags.pages = std::stoull(value);
  if (Take(argument, "--links=", value)) flags.links = std::stoull(value);
  if (Take(argument, "--workers=", value)) {
    flags.options.workers = static_cast<uint32_t>(std::stoul(value));
  }
  if (Take(argument, "--memory=", value)) flags.plan.resources.memory_bytes = std::stoull(value);
  if (Take(argument, "--folder=", value)) flags.plan.resources.folder = value;
  if (Take(argument, "--change=", value)) flags.options.change_max = std::stod(value);
  if (Take(argument, "--iterations=", value)) {
    flags.options.iterations_max = static_cast<uint32_t>(std::stoul(value));
  }
  if (argument == "--order=gauss-seidel") flags.options.order = Order::kGaussSeidel;
  if (argument == "--order=chaotic") flags.options.order = Order::kChaotic;
  if (argument == "--both") flags.both = true;
  if (argument == "--inverse") flags.inverse = true;
  if (argument == "--power-law") flags.power_law = true;
  if (argument == "--double") flags.plan.resources.single_precision = false;
}

int Main(int argc, char** argv) {
  Flags flags;
  flags.plan.resources.memory_bytes = size_t{16} << 30;
  flags.options.workers = 2;
  flags.options.change_max = 1e-6;
  flags.options.iterations_max = 100;
  for (int i = 1; i < argc; ++i) Set(flags, argv[i]);
  // The bound is that of the process, which is something before the first link.
  flags.plan.resources.memory_bytes -= static_cast<size_t>(PeakMegabytes() * 1e6);
  flags.plan.workers = flags.options.workers;
  flags.plan.rankings = flags.both ? 2 : 1;
  Run(flags);
  return 0;
}

}  // namespace
}  // namespace opic::rank

int main(int argc, char** argv) { return opic::rank::Main(argc, argv); }

// opic metrics: what status tells, as metrics for a monitoring system, or the same as JSON.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/metrics_json.h"
#include "cli/target.h"
#include "node/metrics_text.h"

namespace opic::cli {
namespace {

int PrintMetrics(const TargetFlags& flags) {
  absl::StatusOr<Target> target = Target::Find(flags);
  if (!target.ok()) return PrintError(target.status());
  const absl::StatusOr<node::NodeStats> stats = target->answers().Stats();
  if (!stats.ok()) return PrintError(stats.status());
  const std::string text = node::MetricsText(*stats, /*at_rest=*/target->client() == nullptr);
  if (flags.json) {
    PrintJson(MetricsJson(text));
  } else {
    fmt::print("{}", text);
  }
  return stats->missing.empty() ? kOk : kPartial;
}

}  // namespace

Command AddMetrics(CLI::App& opic) {
  auto flags = std::make_shared<TargetFlags>();
  CLI::App* app = opic.add_subcommand(
      "metrics", "print what status tells as metrics, in the text format of Prometheus");
  flags->AddTo(*app);
  return {app, [flags] { return PrintMetrics(*flags); }};
}

}  // namespace opic::cli

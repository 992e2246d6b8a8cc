// opic calendar: when pages are read again.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/question.h"
#include "node/due_times.h"

namespace opic::cli {
namespace {

using node::DueTimes;
using refresh::kCategories;

struct Line {
  std::string name, key;  // for people, for programs
  DueTimes::ByCategory pages;
};

std::string TimeName(absl::Duration time) {
  const int64_t minutes = absl::ToInt64Minutes(time);
  if (minutes < 60) return fmt::format("{} min", minutes);
  return minutes <= 24 * 60 ? fmt::format("{} h", minutes / 60)
                            : fmt::format("{} days", minutes / (24 * 60));
}

std::vector<Line> LinesOf(const DueTimes& times) {
  std::vector<Line> lines;
  for (size_t range = 0; range < DueTimes::kRanges; ++range) {
    const absl::Duration until = DueTimes::Until(range);
    if (range == 0) {
      lines.push_back({"overdue", "overdue", times.due[range]});
    } else if (until == absl::InfiniteDuration()) {
      lines.push_back({"later", "later", times.due[range]});
    } else {
      lines.push_back({"within " + TimeName(until),
                       fmt::format("within_{}_s", absl::ToInt64Seconds(until)), times.due[range]});
    }
  }
  lines.push_back({"not found last time, tried ever more rarely", "missed", times.missed});
  lines.push_back({"stopped: their category has factor 0", "stopped", times.stopped});
  lines.push_back({"not read again", "never", times.never});
  return lines;
}

uint64_t Sum(const DueTimes::ByCategory& pages) {
  return std::accumulate(pages.begin(), pages.end(), uint64_t{0});
}

std::string NameOf(size_t category) {
  return std::string(refresh::NameOf(static_cast<refresh::Category>(category)));
}

void PrintTable(const DueTimes& times) {
  fmt::print("{:>10}", "pages");
  for (size_t c = 0; c < kCategories; ++c) fmt::print("{:>9}", NameOf(c));
  fmt::print("  due\n");
  for (const Line& line : LinesOf(times)) {
    fmt::print("{:>10}", Sum(line.pages));
    for (const uint64_t pages : line.pages) fmt::print("{:>9}", pages);
    fmt::print("  {}\n", line.name);
  }
}

void PrintTimesJson(const DueTimes& times, const std::vector<std::string>& missing) {
  nlohmann::ordered_json json;
  for (const Line& line : LinesOf(times)) {
    nlohmann::ordered_json& counts = json[line.key];
    counts["pages"] = Sum(line.pages);
    for (size_t c = 0; c < kCategories; ++c) counts[NameOf(c)] = line.pages[c];
  }
  if (!missing.empty()) json["missing_nodes"] = missing;
  PrintJson(json);
}

// Of a whole cluster: the sum over the nodes that answer.
absl::StatusOr<int> RunCalendar(const TargetFlags& flags, Target& target) {
  if (target.client() == nullptr) {
    return absl::UnavailableError(
        "no node uses this data folder, so nothing is due; start `opic crawl --continuous`, or "
        "give --node HOST:PORT");
  }
  DueTimes times;
  std::vector<std::string> missing;
  absl::Status first;  // why a node is missing
  if (target.nodes().empty() || !flags.node.empty()) {
    ASSIGN_OR_RETURN(times, target.client()->control().WhenDue());
  } else {
    for (const cluster::MemberNode& node : target.map().nodes()) {
      const absl::StatusOr<DueTimes> part = target.nodes()[node.id.value]->control().WhenDue();
      if (absl::IsFailedPrecondition(part.status()))
        return base::WithContext(part.status(), "node " + node.name);
      if (part.ok()) {
        times.Add(*part);
        continue;
      }
      missing.push_back(node.name);
      const absl::Status why = base::WithContext(part.status(), "node " + node.name);
      fmt::print(stderr, "{}; its pages are missing from these counts\n",
                 std::string(why.message()));
      first.Update(why);
    }
    if (missing.size() == target.map().nodes().size()) return first;
  }
  if (flags.json) {
    PrintTimesJson(times, missing);
  } else {
    PrintTable(times);
  }
  return missing.empty() ? kOk : kPartial;
}

}  // namespace

Command AddCalendar(CLI::App& opic) {
  return QuestionCommand<TargetFlags>(
      opic, "calendar", "tell when pages are read again, by time and category (--continuous)",
      RunCalendar, nullptr);
}

}  // namespace opic::cli

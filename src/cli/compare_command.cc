// opic compare: a crawl's on-line importance beside the off-line importance of its kept links
// (docs/algorithm.md sections 1 and 5).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/rank_input.h"
#include "sim/errors.h"
#include "sim/rank_iteration.h"

namespace opic::cli {
namespace {

struct CompareFlags {
  std::string data = "opic-data";
  std::string memory;
  double damping = 0.85;
  bool json = false;
};

struct Measure {
  const char* name;
  double value;
};

absl::StatusOr<std::vector<double>> Online(RestingCrawl& crawl) {
  std::vector<double> importance;
  importance.reserve(crawl.pages().pages());
  RETURN_IF_ERROR(crawl.pages().ForEach([&](const node::ExportedPage& page) {
    importance.push_back(page.importance);
    return absl::OkStatus();
  }));
  return importance;
}

// Pages that keep no links, being unread, forbidden or gone, give all they have to all pages
// evenly: that is what they do on-line.
absl::StatusOr<std::vector<double>> Offline(RestingCrawl& crawl, const CompareFlags& flags,
                                            uint64_t& links) {
  sim::SlicePlan plan;
  ASSIGN_OR_RETURN(plan.resources.memory_bytes, MemoryFor(flags.memory));
  plan.resources.single_precision = false;
  ASSIGN_OR_RETURN(sim::RankLinks added, sim::RankLinks::Begin(plan));
  RETURN_IF_ERROR(AddCrawl(crawl, added));
  ASSIGN_OR_RETURN(const std::unique_ptr<sim::LinkStore> store, std::move(added).Finish());
  links = store->links();
  sim::RankOptions options;
  options.damping = flags.damping;
  options.order = sim::Order::kGaussSeidel;
  options.change_max = 1e-10;
  ASSIGN_OR_RETURN(const auto engine,
                   store->Prepare(options, {sim::Personalisation(), std::nullopt}));
  RETURN_IF_ERROR(sim::Iterate(*engine, options).status());
  return sim::AllValues(*engine, sim::Direction::kDirect);
}

std::vector<Measure> MeasuresOf(const std::vector<double>& online,
                                const std::vector<double>& offline) {
  return {{"error_percent", sim::MeanErrorPercent(online, offline)},
          {"error_percent_top_tenth", sim::TopMeanErrorPercent(online, offline, 0.1)},
          {"spearman", sim::Spearman(online, offline)},
          {"kendall", sim::Kendall(online, offline)},
          {"ndcg_1000", sim::Ndcg(online, offline, 1000)},
          {"top_100_overlap", sim::TopOverlap(online, offline, 100)}};
}

absl::Status Compare(const CompareFlags& flags) {
  ASSIGN_OR_RETURN(RestingCrawl crawl, RestingCrawl::Open(flags.data));
  if (crawl.pages().pages() == 0)
    return absl::FailedPreconditionError("the data folder has no pages");
  ASSIGN_OR_RETURN(const std::vector<double> online, Online(crawl));
  uint64_t links = 0;
  ASSIGN_OR_RETURN(const std::vector<double> offline, Offline(crawl, flags, links));
  const double sum = std::accumulate(online.begin(), online.end(), 0.0);
  std::vector<Measure> rows = {{"pages", static_cast<double>(online.size())},
                               {"links", static_cast<double>(links)},
                               {"visits_per_page", crawl.pages().visits_per_page()},
                               {"clock_supplies", crawl.pages().clock_supplies()},
                               {"online_sum", sum}};
  for (const Measure& measure : MeasuresOf(online, offline)) rows.push_back(measure);
  if (links == 0) fmt::print(stderr, "opic: the crawl kept no links (--forget-links?)\n");
  if (!flags.json) {
    for (const Measure& row : rows) fmt::print("{}\t{:.6g}\n", row.name, row.value);
    return absl::OkStatus();
  }
  nlohmann::ordered_json json;
  for (const Measure& row : rows) json[row.name] = row.value;
  fmt::print("{}\n", json.dump(2));
  return absl::OkStatus();
}

}  // namespace

Command AddCompare(CLI::App& opic) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* app = opic.add_subcommand(
      "compare", "compare the importance of a crawl with the off-line ranking of its links");
  app->add_option("--data", flags->data, "data folder at rest (default opic-data)");
  app->add_option("--memory", flags->memory,
                  "memory limit of the off-line ranking, e.g. 80M (default half the machine's)");
  app->add_option("--damping", flags->damping,
                  "damping of the off-line ranking: 1 - epsilon of the crawl (default 0.85)")
      ->check(CLI::Range(0.0, 0.999));
  app->add_flag("--json", flags->json, "print JSON");
  return {app, [flags] {
            const absl::Status status = Compare(*flags);
            return status.ok() ? kOk : Complain(status);
          }};
}

}  // namespace opic::cli

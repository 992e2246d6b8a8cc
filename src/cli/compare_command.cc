// opic compare: a crawl's on-line importance beside the off-line importance of its kept links
// (docs/algorithm.md sections 1 and 5), or beside a ranking that is known to be true.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/crawl_source.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/rank_input.h"
#include "cli/ranking_file.h"
#include "graph/errors.h"
#include "rank/iteration.h"

namespace opic::cli {
namespace {

struct CompareFlags {
  SourceFlags source;
  std::string memory;
  std::string truth;
  std::optional<double> damping;
  bool json = false;
};

struct Measure {
  const char* name;
  double value;
};

// What the nodes answer themselves.
absl::StatusOr<std::vector<double>> Online(node::Export& crawl) {
  std::vector<double> importance;
  importance.reserve(crawl.pages());
  RETURN_IF_ERROR(crawl.ForEach([&](const node::ExportedPage& page) {
    if (page.known) importance.push_back(page.estimate);
    return absl::OkStatus();
  }));
  return importance;
}

void ScaleToOne(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum > 0 ? sum : 1;
}

// Pages that keep no links, being unread, forbidden or gone, give all they have to all pages
// evenly: that is what they do on-line.
absl::StatusOr<std::vector<double>> Offline(node::Export& crawl, const CompareFlags& flags,
                                            uint64_t& links) {
  rank::SlicePlan plan;
  ASSIGN_OR_RETURN(plan.resources.memory_bytes, MemoryFor(flags.memory));
  plan.resources.single_precision = false;
  ASSIGN_OR_RETURN(rank::RankLinks added, rank::RankLinks::Begin(plan));
  RETURN_IF_ERROR(AddCrawl(crawl, added));
  ASSIGN_OR_RETURN(const std::unique_ptr<rank::LinkStore> store, std::move(added).Finish());
  links = store->links();
  rank::RankOptions options;
  options.damping = flags.damping.value_or(1 - crawl.epsilon().share());
  options.order = rank::Order::kGaussSeidel;
  options.change_max = 1e-10;
  ASSIGN_OR_RETURN(const auto engine,
                   store->Prepare(options, {rank::Personalisation(), std::nullopt}));
  RETURN_IF_ERROR(rank::Iterate(*engine, options).status());
  return rank::AllValues(*engine, rank::Direction::kDirect);
}

std::vector<Measure> MeasuresOf(const std::vector<double>& online,
                                const std::vector<double>& offline) {
  return {{"error_percent", graph::MeanErrorPercent(online, offline)},
          {"error_percent_top_tenth", graph::TopMeanErrorPercent(online, offline, 0.1)},
          {"l1_distance", graph::L1Distance(online, offline)},
          {"spearman", graph::Spearman(online, offline)},
          {"kendall", graph::Kendall(online, offline)},
          {"ndcg_1000", graph::Ndcg(online, offline, 1000)},
          {"top_100_overlap", graph::TopOverlap(online, offline, 100)},
          {"top_100_within_1_percent", graph::TopOverlap(online, offline, 100, 0.01)},
          {"top_100_captured", graph::TopCaptured(online, offline, 100)}};
}

// Pages known elsewhere are part of the graph, but nothing is known of them to be compared. The
// rest is compared by shares of each other where it is only a part.
absl::StatusOr<std::vector<Measure>> CompareOffline(node::Export& crawl,
                                                    const CompareFlags& flags) {
  ASSIGN_OR_RETURN(std::vector<double> online, Online(crawl));
  uint64_t links = 0;
  ASSIGN_OR_RETURN(std::vector<double> offline, Offline(crawl, flags, links));
  offline.resize(online.size());
  if (crawl.elsewhere() > 0) ScaleToOne(offline);
  if (!crawl.whole()) {
    fmt::print(stderr,
               "opic: the off-line ranking lacks the links of the other nodes' pages: compare all "
               "folders, or --cluster\n");
    ScaleToOne(online);
  }
  std::vector<Measure> rows = {{"pages", static_cast<double>(online.size())},
                               {"pages_elsewhere", static_cast<double>(crawl.elsewhere())},
                               {"links", static_cast<double>(links)},
                               {"links_elsewhere", static_cast<double>(crawl.links_elsewhere())},
                               {"visits_per_page", crawl.visits_per_page()},
                               {"clock_supplies", crawl.clock_supplies()},
                               {"online_sum", crawl.estimate_sum()}};
  for (const Measure& measure : MeasuresOf(online, offline)) rows.push_back(measure);
  if (links == 0) fmt::print(stderr, "opic: the crawl kept no links (--forget-links?)\n");
  return rows;
}

// Over the pages of the truth; one that the crawl does not know has no importance there. What the
// crawl gives to pages beyond the truth is missing from the others: the last error is without that.
absl::StatusOr<std::vector<Measure>> CompareTruth(node::Export& crawl, RankingByUrl truth) {
  if (!crawl.whole()) {
    return absl::FailedPreconditionError(
        "--truth needs all pages: give all nodes' folders or --cluster");
  }
  std::vector<double> online, exact;
  double beyond = 0;
  size_t pages_beyond = 0;
  RETURN_IF_ERROR(crawl.ForEach([&](const node::ExportedPage& page) {
    const auto found = page.known ? truth.find(page.record.url) : truth.end();
    if (found != truth.end()) {
      online.push_back(page.estimate);
      exact.push_back(found->second);
      truth.erase(found);
    } else if (page.known) {
      ++pages_beyond;
      beyond += page.estimate;
    }
    return absl::OkStatus();
  }));
  const size_t unknown = truth.size();
  for (const auto& [url, importance] : truth) {
    online.push_back(0);
    exact.push_back(importance);
  }
  std::vector<Measure> rows = {{"pages", static_cast<double>(crawl.pages())},
                               {"pages_of_truth", static_cast<double>(exact.size())},
                               {"pages_unknown", static_cast<double>(unknown)},
                               {"pages_beyond", static_cast<double>(pages_beyond)},
                               {"importance_beyond", beyond},
                               {"visits_per_page", crawl.visits_per_page()},
                               {"online_sum", crawl.estimate_sum()}};
  for (const Measure& measure : MeasuresOf(online, exact)) rows.push_back(measure);
  ScaleToOne(online);
  ScaleToOne(exact);
  rows.push_back({"error_percent_of_shares", graph::MeanErrorPercent(online, exact)});
  return rows;
}

// Nothing when none is asked for.
absl::StatusOr<RankingByUrl> TruthOf(const CompareFlags& flags) {
  if (flags.truth.empty()) return RankingByUrl();
  absl::StatusOr<RankingByUrl> truth = ReadRanking(flags.truth);
  if (!truth.ok()) return base::WithContext(truth.status(), "--truth");
  return truth;
}

absl::Status Compare(const CompareFlags& flags) {
  // A whole crawl is not read for a file that is not there.
  ASSIGN_OR_RETURN(RankingByUrl truth, TruthOf(flags));
  ASSIGN_OR_RETURN(CrawlSource source, CrawlSource::Open(flags.source));
  node::Export& crawl = source.pages();
  if (crawl.pages() == 0) return absl::FailedPreconditionError("the crawl knows no pages");
  ASSIGN_OR_RETURN(const std::vector<Measure> rows, flags.truth.empty()
                                                        ? CompareOffline(crawl, flags)
                                                        : CompareTruth(crawl, std::move(truth)));
  if (!flags.json) {
    for (const Measure& row : rows) fmt::print("{}\t{:.6g}\n", row.name, row.value);
    return absl::OkStatus();
  }
  nlohmann::ordered_json json;
  for (const Measure& row : rows) json[row.name] = row.value;
  PrintJson(json);
  return absl::OkStatus();
}

}  // namespace

Command AddCompare(CLI::App& opic) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* app = opic.add_subcommand(
      "compare",
      "compare the importance of a crawl with the off-line ranking of its links, or with a truth");
  flags->source.AddTo(*app);
  flags->source.AddFolderTo(*app);
  app->add_option("--memory", flags->memory,
                  "memory limit of the off-line ranking, e.g. 80M (default half the machine's)");
  app->add_option("--damping", flags->damping,
                  "damping of the off-line ranking (default 1 - epsilon of the crawl)")
      ->check(CLI::Range(0.0, 0.999));
  app->add_option("--truth", flags->truth,
                  "compare with this ranking instead: lines of importance, tab, URL, as `opic "
                  "sample-web --print-truth` prints them");
  app->add_flag("--json", flags->json, "print JSON");
  return {app,
          [flags] {
            const absl::Status status = Compare(*flags);
            return status.ok() ? kOk : PrintError(status);
          },
          [flags] { return TruthOf(*flags).status(); }};
}

}  // namespace opic::cli

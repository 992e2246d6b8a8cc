// opic demo: crawls the sample web that it serves itself, and holds the ranking against the exact
// one.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/crawl_run.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/sample_flags.h"
#include "graph/errors.h"
#include "process/signals.h"
#include "sample/sample_web.h"

namespace opic::cli {
namespace {

// Our ranking beside the exact one.
class Compared {
 public:
  Compared(const std::vector<sample::RankedPage>& exact,
           const std::vector<node::PageImportance>& ours)
      : exact_(exact), order_(ours.size()) {
    for (size_t i = 0; i < exact.size(); ++i) {
      exact_values_.push_back(exact[i].importance);
      our_values_.push_back(ours[i].importance);
    }
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return our_values_[a] > our_values_[b]; });
    order_.resize(std::min<size_t>(kShown, order_.size()));
  }

  void Print() const {
    fmt::print("{:>4}  {:>10}  {:>10}  {:>10}  {}\n", "rank", "exact rank", "importance", "exact",
               "URL");
    for (size_t rank = 0; rank < order_.size(); ++rank) {
      const size_t page = order_[rank];
      fmt::print("{:>4}  {:>10}  {:>10.6f}  {:>10.6f}  {}\n", rank + 1, page + 1, our_values_[page],
                 exact_values_[page], exact_[page].url);
    }
    fmt::print(
        "{:.0f} of the exact top 100 are in ours; mean error {:.2f} % over all {} pages, {:.2f} % "
        "over the top 10 %\n",
        top_overlap(), mean_error(), exact_.size(), top_mean_error());
  }

  nlohmann::ordered_json ToJson() const {
    nlohmann::ordered_json json = {{"pages", exact_.size()},
                                   {"mean_error_percent", mean_error()},
                                   {"top_tenth_mean_error_percent", top_mean_error()},
                                   {"top_100_in_common", top_overlap()},
                                   {"top", nlohmann::ordered_json::array()}};
    for (const size_t page : order_) {
      json["top"].push_back({{"url", exact_[page].url},
                             {"importance", our_values_[page]},
                             {"exact", exact_values_[page]},
                             {"exact_rank", page + 1}});
    }
    return json;
  }

 private:
  static constexpr size_t kShown = 20;

  double top_overlap() const { return 100 * graph::TopOverlap(our_values_, exact_values_, 100); }
  double mean_error() const { return graph::MeanErrorPercent(our_values_, exact_values_); }
  double top_mean_error() const { return graph::TopMeanErrorPercent(our_values_, exact_values_); }

  const std::vector<sample::RankedPage>& exact_;  // by exact rank
  std::vector<size_t> order_;                     // the first ones of ours
  std::vector<double> exact_values_, our_values_;
};

struct DemoCommand {
  SampleFlags sample;
  CrawlFlags flags;
  RunOptions run;

  int Run() {
    absl::StatusOr<std::unique_ptr<sample::SampleWeb>> web = sample::SampleWeb::Start(sample.web);
    if (!web.ok()) return PrintError(web.status());
    flags.seeds = {(*web)->seed_url()};
    flags.scope = "any";
    flags.allow_private = true;
    flags.fetch.connect_to = {(*web)->connect_to()};
    absl::StatusOr<process::ProcessOptions> options = ProcessOptionsOf(flags, run);
    if (!options.ok()) return PrintError(options.status());
    if (const absl::Status same = ClaimFolder(); !same.ok()) return PrintError(same);
    // All hosts share one loopback address here.
    options->crawl.fetch.per_address_max = options->scheduling.per_address_max = flags.in_flight;
    process::CatchSignals();
    if (const absl::Status log = run.log.Start(base::LogLevel::kWarning); !log.ok())
      return PrintError(log);
    fmt::print(stderr,
               "Serving a sample web of {} pages on {} hosts on 127.0.0.1:{} and crawling it.\n",
               sample.web.pages, sample.web.hosts, (*web)->port());
    const std::vector<sample::RankedPage> exact = (*web)->exact_ranks();
    absl::StatusOr<std::unique_ptr<process::CrawlProcess>> process =
        process::CrawlProcess::Start(*options);
    if (!process.ok()) return PrintError(process.status());
    run.top = 0;
    std::optional<nlohmann::ordered_json> compared;
    const RunResult result = RunThenCompare(**process, *options, exact, compared);
    if (!result.status.ok()) return PrintError(result.status);
    std::fputs(result.summary.c_str(), stderr);
    if (run.json) {
      nlohmann::ordered_json json = EndJson(result);
      if (compared) json["compared"] = *compared;
      PrintJson(json);
    }
    return result.interrupted && !result.told_to ? kInterrupted : kOk;
  }

  // Pages of another sample web in the same folder would be compared with ranks that are not
  // theirs. A file in it tells which web it holds.
  absl::Status ClaimFolder() const {
    const std::string path = flags.data + "/sample-web";
    const std::string ours = fmt::format("--sample-pages {} --sample-hosts {} --sample-seed {}",
                                         sample.web.pages, sample.web.hosts, sample.web.seed);
    if (node::HoldsCrawl(flags.data)) {
      const std::string theirs =
          base::ReadFile(path, 1000).value_or("of an older release, or none");
      if (theirs == ours) return absl::OkStatus();
      return absl::FailedPreconditionError(fmt::format(
          "{} holds the crawl of another sample web ({}): remove the folder, or give another one "
          "with --data",
          flags.data, theirs));
    }
    std::error_code error;  // an unusable folder is reported when it is locked
    std::filesystem::create_directories(flags.data, error);
    return error ? absl::OkStatus() : base::WriteFileDurably(path, ours);
  }

  RunResult RunThenCompare(process::CrawlProcess& process, const process::ProcessOptions& options,
                           const std::vector<sample::RankedPage>& exact,
                           std::optional<nlohmann::ordered_json>& compared) const {
    absl::StatusOr<std::vector<node::PageImportance>> ours = absl::NotFoundError("not asked");
    RunOptions with_end = run;
    with_end.before_stop = [&] {
      std::vector<std::string> urls;
      for (const sample::RankedPage& page : exact) urls.push_back(page.url);
      ours = process.node().operations().Importance(urls);
    };
    const std::unique_ptr<StatusHttp> nobody = *StatusHttp::Start("");
    RunResult result = RunToTheEnd(process, options, with_end, *nobody);
    if (!ours.ok() || result.interrupted) return result;
    const Compared difference(exact, *ours);
    if (run.json) {
      compared = difference.ToJson();
    } else {
      difference.Print();
    }
    return result;
  }
};

}  // namespace

Command AddDemo(CLI::App& opic) {
  auto command = std::make_shared<DemoCommand>();
  command->flags.data = "opic-demo-data";
  command->flags.delay = "20ms";
  CLI::App* app = opic.add_subcommand(
      "demo", "crawl a sample web that opic serves itself, and compare with its exact ranks");
  command->sample.AddTo(*app);
  command->flags.AddTo(*app, /*with_seeds=*/false);
  app->get_option("--data")->description("data folder (default opic-demo-data)");
  app->get_option("--delay")->description("pause between two fetches from one host (default 20ms)");
  AddRunFlags(*app, command->run);
  AddEndFlags(*app, command->run);
  AddEndJsonFlag(*app, command->run);
  return {app, [command] { return command->Run(); }};
}

}  // namespace opic::cli

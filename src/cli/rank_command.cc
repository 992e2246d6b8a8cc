// opic rank: off-line importance and interest of an edge list or a crawl (thesis chapter 2).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/rank_flags.h"
#include "cli/rank_input.h"
#include "cli/rank_output.h"
#include "cli/status_line.h"
#include "cli/table_file.h"

namespace opic::cli {
namespace {

using rank::Direction;

constexpr double kDampingOfEdgeList = 0.85;

// One run of the command.
class RankRun {
 public:
  explicit RankRun(const RankFlags& flags) : flags_(flags) {}

  absl::Status Run() {
    RETURN_IF_ERROR(flags_.Check());
    RETURN_IF_ERROR(Load());
    ASSIGN_OR_RETURN(PageWeights weights, Weights());
    rank::Personalisation wanted;
    if (!weights.empty()) {
      if (flags_.by_importance) RETURN_IF_ERROR(WeighByImportance(weights));
      ASSIGN_OR_RETURN(wanted, rank::Personalisation::Of(std::move(weights)));
    }
    return RankAndPrint(std::move(wanted));
  }

 private:
  absl::Status Load() {
    ASSIGN_OR_RETURN(const rank::SlicePlan plan, flags_.Plan());
    memory_bytes_ = plan.resources.memory_bytes;
    ASSIGN_OR_RETURN(rank::RankLinks links, rank::RankLinks::Begin(plan, {}, flags_.Reading()));
    if (!flags_.source.empty()) {
      ASSIGN_OR_RETURN(crawl_, CrawlSource::Open(flags_.source));
      options_ = flags_.Options(1 - crawl_->pages().epsilon().share());
      RETURN_IF_ERROR(AddCrawl(crawl_->pages(), links));
    } else {
      options_ = flags_.Options(kDampingOfEdgeList);
      RETURN_IF_ERROR(AddEdgeList(flags_.file, links));
    }
    absl::StatusOr<std::unique_ptr<rank::LinkStore>> store = std::move(links).Finish();
    if (!store.ok()) {
      return flags_.file.empty() ? store.status() : base::WithContext(store.status(), flags_.file);
    }
    store_ = *std::move(store);
    if (!flags_.quiet) {
      fmt::print(stderr, "{}, {}, {}\n", base::Counted(store_->pages(), "page"),
                 base::Counted(store_->links(), "link"),
                 store_->on_disk() ? "on disk" : "in memory");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PageWeights> Weights() {
    if (!flags_.on.empty()) return PagesMatching(crawl_->pages(), flags_.on);
    if (!flags_.personalise.empty()) return ReadPageWeights(flags_.personalise, memory_bytes_ / 4);
    return PageWeights();
  }

  // E = PR_XML of thesis section 2.2.
  absl::Status WeighByImportance(PageWeights& weights) {
    ASSIGN_OR_RETURN(const auto engine, Rank({rank::Personalisation(), std::nullopt}));
    ASSIGN_OR_RETURN(const rank::RankReader importance,
                     rank::RankReader::Of(*engine, Direction::kDirect));
    for (auto& [page, weight] : weights) {
      if (page >= store_->pages()) {
        return absl::InvalidArgumentError(fmt::format("--personalise: there is no page {}", page));
      }
      double value = 0;
      RETURN_IF_ERROR(importance.Read(page, absl::MakeSpan(&value, 1)));
      weight *= value;
    }
    return absl::OkStatus();
  }

  absl::Status RankAndPrint(rank::Personalisation wanted) {
    rank::Rankings rankings;
    if (flags_.both) {
      rankings = {rank::Personalisation(), std::move(wanted)};
    } else {
      rankings[IndexOf(flags_.by_importance ? Direction::kInverse : Direction::kDirect)] =
          std::move(wanted);
    }
    ASSIGN_OR_RETURN(const auto engine, Rank(rankings));
    std::vector<RankColumn> columns;
    for (const Direction direction : rank::kDirections) {
      if (!rankings[IndexOf(direction)]) continue;
      ASSIGN_OR_RETURN(const rank::RankReader reader, rank::RankReader::Of(*engine, direction));
      const bool interest = direction == Direction::kInverse || flags_.turned();
      columns.push_back({interest ? "interest" : "importance", reader});
    }
    return WriteTable(flags_.out, [&](std::FILE* out) {
      return PrintRanks(columns, store_->pages(), flags_.top, flags_.json,
                        crawl_ ? &crawl_->pages() : nullptr, out);
    });
  }

  absl::StatusOr<std::unique_ptr<rank::RankEngine>> Rank(const rank::Rankings& rankings) {
    StatusLine line;
    ASSIGN_OR_RETURN(std::unique_ptr<rank::RankEngine> engine, store_->Prepare(options_, rankings));
    ASSIGN_OR_RETURN(const rank::RankSummary summary,
                     rank::Iterate(*engine, options_, [&](const rank::RankProgress& progress) {
                       if (!flags_.quiet) line.Show(InWords(progress));
                       return true;
                     }));
    if (!summary.converged) {
      fmt::print(stderr, "opic: not converged after {} iterations; the change is still {:.3g}\n",
                 summary.iterations, summary.change);
    }
    return engine;
  }

  static std::string InWords(const rank::RankProgress& progress) {
    return fmt::format("iteration {}, change {:.1e}, {:.3f} s; read {}, written {}",
                       progress.iteration, progress.change, progress.seconds,
                       HumanBytes(progress.bytes_read), HumanBytes(progress.bytes_written));
  }

  const RankFlags& flags_;
  rank::RankOptions options_;  // of Load on
  size_t memory_bytes_ = 0;
  std::optional<CrawlSource> crawl_;
  std::unique_ptr<rank::LinkStore> store_;
};

}  // namespace

Command AddRank(CLI::App& opic) {
  auto flags = std::make_shared<RankFlags>();
  CLI::App* app =
      opic.add_subcommand("rank", "rank off-line, from an edge list or the kept links of a crawl");
  flags->AddTo(*app);
  app->footer(
      "Progress is shown on a terminal; page numbers are those of the list, "
      "or of\n"
      "`opic export --pages`. Pages known elsewhere (another node's, of which only links tell) "
      "have "
      "no URL.");
  return {app, [flags] {
            // An edge list was typed, and the crawl is what variables name for all commands.
            if (!flags->file.empty() && !flags->source.typed()) flags->source.Clear();
            const absl::Status status = RankRun(*flags).Run();
            return status.ok() ? kOk : PrintError(status);
          }};
}

}  // namespace opic::cli

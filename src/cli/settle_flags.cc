#include "cli/settle_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/wrong_value.h"

namespace opic::cli {
namespace {

absl::Status CheckVisits(const std::string& flag, double visits) {
  if (visits >= 0 && visits <= 1e6) return absl::OkStatus();
  return WrongValue(flag, absl::StrCat(visits), "from 0 to 1,000,000");
}

}  // namespace

void SettleFlags::AddTo(CLI::App& app) {
  app.add_flag("--no-settle", no_settle,
               "never visit a page without fetching it; stop when fetching ends, although the "
               "ranking has not converged");
  app.add_option("--error", error_max,
                 "visit pages without fetching them until the error of the ranking is at most "
                 "this; importances sum to 1 (default 0.01; ledger push)");
  app.add_option("--settle-rate", rate,
                 "while fetching, visits without a fetch for each second (default 200)");
  app.add_option("--settle-per-fetch", per_fetch,
                 "while fetching, visits without a fetch for each page fetched, besides "
                 "--settle-rate (default 1)");
  app.add_option(
      "--unread-share", unread_share,
      "share of the virtual page's payments that goes to unread pages only, 0 to 1 (windows)");
}

absl::Status SettleFlags::ApplyTo(node::CrawlOptions& options) const {
  options.settle = !no_settle;
  if (!(error_max > 0 && error_max <= 1))
    return WrongValue("error", absl::StrCat(error_max), "above 0 and at most 1");
  options.error_max = error_max;
  RETURN_IF_ERROR(CheckVisits("settle-rate", rate));
  options.settles_per_s = rate;
  RETURN_IF_ERROR(CheckVisits("settle-per-fetch", per_fetch));
  options.settles_per_fetch = per_fetch;
  if (!(unread_share >= 0 && unread_share <= 1))
    return WrongValue("unread-share", absl::StrCat(unread_share), "from 0 to 1");
  options.unread_share = unread_share;
  return absl::OkStatus();
}

}  // namespace opic::cli

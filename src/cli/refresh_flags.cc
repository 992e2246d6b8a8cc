#include "cli/refresh_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/factor_list.h"
#include "cli/quantity.h"
#include "cli/wrong_value.h"

namespace opic::cli {

void RefreshFlags::AddTo(CLI::App& app) {
  app.add_flag("--continuous", continuous,
               "go on for ever: read pages again, the more often the more important they are and "
               "the more often they change; needs --rate");
  app.add_option("--change-digest", change_digest,
                 "what counts as a change of an HTML page: text (default; the text and the links "
                 "that a reader sees) or bytes (--continuous)");
  app.add_option("--refresh-share", share,
                 "share of --rate for pages that were read before, while there are others to "
                 "discover (default 0.5; --continuous)");
  app.add_option("--refresh-factor", factors,
                 "NAME=FACTOR on the importance of a category's pages when they are to be read "
                 "again; 0: never. Categories: " +
                     CategoryNames());
  app.add_option("--refresh-shortest", shortest,
                 "read no page again sooner than after this time (default 1h)");
  app.add_option("--refresh-longest", longest,
                 "read every page again after this time, as far as --rate allows (default 2160h, "
                 "90 days)");
}

absl::StatusOr<node::RefreshOptions> RefreshFlags::Options(double rate) const {
  node::RefreshOptions options;
  RETURN_IF_ERROR(CheckRate(rate));
  if (rate == 0) {
    return absl::InvalidArgumentError(
        "--continuous needs --rate: how many pages a second may be fetched in all");
  }
  options.pages_per_s = rate;
  if (!(share > 0 && share <= 1))
    return WrongValue("refresh-share", absl::StrCat(share), "above 0 and at most 1");
  options.share = share;
  ASSIGN_OR_RETURN(const FactorList given, ParseFactors(factors, "refresh-factor"));
  for (size_t c = 0; c < given.size(); ++c)
    options.factors[c] = given[c].value_or(options.factors[c]);
  ASSIGN_OR_RETURN(options.shortest, ParseDuration(shortest, "refresh-shortest"));
  ASSIGN_OR_RETURN(options.longest, ParseDuration(longest, "refresh-longest"));
  if (options.shortest < absl::Seconds(1))
    return WrongValue("refresh-shortest", shortest, "at least 1s");
  if (options.longest < options.shortest)
    return WrongValue("refresh-longest", longest, "at least --refresh-shortest");
  return options;
}

absl::Status RefreshFlags::ApplyTo(double rate, node::CrawlOptions& options) const {
  if (change_digest != "text" && change_digest != "bytes")
    return WrongValue("change-digest", change_digest, "one of text, bytes");
  if (continuous) {
    ASSIGN_OR_RETURN(options.refresh, Options(rate));
  }
  return absl::OkStatus();
}

}  // namespace opic::cli

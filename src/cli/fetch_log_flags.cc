#include "cli/fetch_log_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/quantity.h"
#include "cli/wrong_value.h"

namespace opic::cli {

void FetchLogFlags::AddTo(CLI::App& app) {
  app.add_flag("--referrers", referrers,
               "keep with each page that is found from now on the page that it was found on, for "
               "fetches.jsonl and opic explain; a data folder that has kept referrers once always "
               "does, and earlier releases refuse it");
  app.add_option(
      "--fetch-log-max", bytes_max,
      "size of fetches.jsonl, after which it is moved to fetches.jsonl.1 and begun anew; "
      "0: never (default 100M)");
  app.add_option("--fetch-log-files", files,
                 "how many older fetch logs are kept: fetches.jsonl.1, ... (default 4)");
}

absl::Status FetchLogFlags::ApplyTo(node::CrawlOptions& options) const {
  options.referrers = referrers;
  ASSIGN_OR_RETURN(options.fetch_log_bytes_max, ParseBytes(bytes_max, "fetch-log-max"));
  if (files < 0 || files > 1000)
    return WrongValue("fetch-log-files", absl::StrCat(files), "from 0 to 1,000");
  options.fetch_log_files = files;
  return absl::OkStatus();
}

}  // namespace opic::cli

#include "cli/log_flags.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace opic::cli {

void LogFlags::AddTo(CLI::App& app) {
  app.add_option("--log-file", file,
                 "write the log to this file instead of standard error; SIGHUP opens it again");
  app.add_option("--log-format", format, "text (default), or json: an object a line");
}

absl::Status LogFlags::Start(base::LogLevel level) const {
  if (format != "text" && format != "json") {
    return absl::InvalidArgumentError(
        absl::StrCat("--log-format: \"", format, "\" is not valid; it must be one of text, json"));
  }
  const auto form = format == "json" ? base::LogFormat::kJson : base::LogFormat::kText;
  if (base::StartLog(file, level, form)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--log-file: cannot open ", file, ": ", std::strerror(errno)));
}

}  // namespace opic::cli

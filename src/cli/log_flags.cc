#include "cli/log_flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

absl::Status CannotOpen(const std::string& file) {
  return absl::InvalidArgumentError(
      absl::StrCat("--log-file: cannot open ", file, ": ", std::strerror(errno)));
}

}  // namespace

void LogFlags::AddTo(CLI::App& app) {
  app.add_option("--log-file", file,
                 "write the log to this file instead of standard error; SIGHUP opens it again");
  app.add_option("--log-format", format, "text (default), or json: an object a line");
  app.add_option("--log-level", level,
                 "lines of this level and above: debug, info, warning or error; MODULE=LEVEL for "
                 "one module of the source, e.g. info,fetch=debug");
}

absl::Status LogFlags::Check() const {
  if (format != "text" && format != "json") {
    return absl::InvalidArgumentError(
        absl::StrCat("--log-format: \"", format, "\" is not valid; it must be one of text, json"));
  }
  RETURN_IF_ERROR(LevelsAbove(base::LogLevel::kInfo).status());
  if (file.empty()) return absl::OkStatus();
  const std::string folder = std::filesystem::absolute(file).parent_path();
  const bool there = ::access(file.c_str(), F_OK) == 0;
  const bool can = there ? !std::filesystem::is_directory(file) && ::access(file.c_str(), W_OK) == 0
                         : ::access(folder.c_str(), W_OK | X_OK) == 0;
  return can ? absl::OkStatus() : CannotOpen(file);
}

absl::StatusOr<base::LogLevels> LogFlags::LevelsAbove(base::LogLevel own) const {
  if (level.empty()) return own;
  const absl::StatusOr<base::LogLevelChange> change = base::ParseLogLevels(level);
  if (!change.ok()) return base::WithContext(change.status(), "--log-level");
  return base::Changed(own, *change);
}

absl::Status LogFlags::Start(base::LogLevel own) const {
  RETURN_IF_ERROR(Check());
  ASSIGN_OR_RETURN(const base::LogLevels levels, LevelsAbove(own));
  const auto form = format == "json" ? base::LogFormat::kJson : base::LogFormat::kText;
  return base::StartLog(file, levels, form) ? absl::OkStatus() : CannotOpen(file);
}

}  // namespace opic::cli

#include "base/log_levels.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/quoted.h"
#include "base/status_macros.h"

namespace opic::base {
namespace {

constexpr LogLevel kLevels[] = {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning,
                                LogLevel::kError};

absl::StatusOr<LogLevel> ParseLevel(std::string_view name) {
  if (const std::optional<LogLevel> level = LogLevelNamed(name)) return *level;
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(name), " is not valid; it must be one of debug, info, warning, error"));
}

}  // namespace

std::string_view Name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::optional<LogLevel> LogLevelNamed(std::string_view name) {
  if (name == "warn") return LogLevel::kWarning;
  for (const LogLevel level : kLevels) {
    if (Name(level) == name) return level;
  }
  return std::nullopt;
}

absl::Status CheckModule(std::string_view name) {
  if (ModuleNamed(name) != kNoModule) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no module ", Quoted(name), "; modules are ",
      absl::StrJoin(kModules, ", ",
                    [](std::string* out, std::string_view module) { out->append(module); })));
}

std::string InWords(const LogLevels& levels) {
  std::string words(Name(levels.all));
  for (const auto& [module, level] : levels.modules)
    absl::StrAppend(&words, ",", module, "=", std::string(Name(level)));
  return words;
}

LogLevels Changed(LogLevels levels, const LogLevelChange& change) {
  if (change.all) levels = *change.all;
  for (const auto& [module, level] : change.modules) levels.modules[module] = level;
  return levels;
}

absl::StatusOr<LogLevelChange> ParseLogLevels(std::string_view text) {
  const absl::Status twice = absl::InvalidArgumentError(
      absl::StrCat(Quoted(text), ": one level for everything, and one for each module"));
  LogLevelChange change;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(std::string(text), ','))) {
    const size_t sign = part.find('=');
    if (sign == part.npos) {
      ASSIGN_OR_RETURN(const LogLevel level, ParseLevel(part));
      if (change.all) return twice;
      change.all = level;
      continue;
    }
    const std::string module = part.substr(0, sign);
    RETURN_IF_ERROR(CheckModule(module));
    ASSIGN_OR_RETURN(const LogLevel level, ParseLevel(part.substr(sign + 1)));
    if (!change.modules.emplace(module, level).second) return twice;
  }
  return change;
}

}  // namespace opic::base

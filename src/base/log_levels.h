// Which lines the log has: those of a level and above, everywhere or in one module of the source.
//
// Thread safety: pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace opic::base {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
std::string_view Name(LogLevel level);  // debug, info, warning, error
// "warn" is a warning, too. Nothing: there is none.
std::optional<LogLevel> LogLevelNamed(std::string_view name);

// The folders of src/, which tests/layers compares.
inline constexpr std::string_view kModules[] = {
    "archive", "base",    "cash",       "certs",     "cli",         "cluster",    "desk",
    "fetch",   "gateway", "graph",      "http",      "http_status", "importance", "ledger",
    "links",   "node",    "page_table", "process",   "rank",        "refresh",    "robots",
    "rpc",     "sample",  "schedule",   "scheduler", "sim",         "store",      "url"};
inline constexpr size_t kNoModule = std::size(kModules);  // of files elsewhere

constexpr size_t ModuleNamed(std::string_view name) {
  return static_cast<size_t>(std::find(std::begin(kModules), std::end(kModules), name) -
                             std::begin(kModules));
}
// Of a source file, by its path as the compiler has it: "../../src/rpc/gate.cc".
constexpr size_t ModuleOfFile(std::string_view path) {
  constexpr std::string_view kRoot = "src/";
  const size_t at = path.rfind(kRoot);
  if (at == path.npos || (at > 0 && path[at - 1] != '/')) return kNoModule;
  const std::string_view below = path.substr(at + kRoot.size());
  return ModuleNamed(below.substr(0, below.find('/')));
}
// InvalidArgument: there is no module of this name.
absl::Status CheckModule(std::string_view name);

struct LogLevels {
  LogLevels(LogLevel everywhere = LogLevel::kInfo) : all(everywhere) {}
  LogLevel all;
  std::map<std::string, LogLevel> modules;  // those that have one of their own
  friend bool operator==(const LogLevels&, const LogLevels&) = default;
};
std::string InWords(const LogLevels& levels);  // "info,fetch=debug"

// What an operator changes.
struct LogLevelChange {
  std::optional<LogLevel> all;  // given: no module keeps one of its own
  std::map<std::string, LogLevel> modules;
  bool empty() const { return !all && modules.empty(); }
};
LogLevels Changed(LogLevels levels, const LogLevelChange& change);
// Of "info", "info,fetch=debug" or "rpc=debug,fetch=warning". InvalidArgument: it is none, or
// names a level or a module that there is not, or one twice.
absl::StatusOr<LogLevelChange> ParseLogLevels(std::string_view text);

}  // namespace opic::base

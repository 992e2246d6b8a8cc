// The process's log, on standard error or in a file; one line an event. `{}` is filled as by
// std::format.
//
//   base::LogInfo("recovered {} pages in {:.1f} s", pages, seconds);
//
// Thread safety: synchronised inside.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace opic::base {

enum class LogLevel { kInfo, kWarning, kError };

enum class LogFormat { kText, kJson };  // kJson: an object a line with time, level and message

// Sends the log to `path` ("" is standard error) from `level` up. Call before other threads start.
// False when the file cannot be opened; the log then stays where it was.
bool StartLog(const std::string& path, LogLevel level, LogFormat format = LogFormat::kText);
// Opens the log's file again, which somebody may have moved away. False when that fails; the log
// then goes on where it was.
bool ReopenLog();

// From now on, until the next StartLog. Any thread.
void SetLogLevel(LogLevel level);
LogLevel CurrentLogLevel();
std::string_view Name(LogLevel level);                         // info, warning, error
std::optional<LogLevel> LogLevelNamed(std::string_view name);  // nothing: there is none

void LogLine(LogLevel level, std::string_view line);

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace opic::base

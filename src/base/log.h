// The process's log, on standard error or in a file; one line an event. `{}` is filled as by
// std::format.
//
//   base::LogInfo("recovered {} pages in {:.1f} s", pages, seconds);
//
// A line is of the module in whose files it stands, which may have a level of its own; it is known
// when it is compiled.
//
// Thread safety: synchronised inside.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/log_levels.h"

namespace opic::base {

enum class LogFormat {
  kText,
  kJson
};  // kJson: an object a line with time, level, message and module

// Sends the log to `path` ("" is standard error), with these levels. Call before other threads
// start. False when the file cannot be opened; the log then stays where it was.
bool StartLog(const std::string& path, const LogLevels& levels,
              LogFormat format = LogFormat::kText);
// Opens the log's file again, which somebody may have moved away. False when that fails; the log
// then goes on where it was.
bool ReopenLog();

// From now on, until the next StartLog. Any thread. REQUIRES: CheckModule of each module.
void SetLogLevels(const LogLevels& levels);
LogLevels CurrentLogLevels();

// Whether a line of this level is written that stands in a file of kModules[module].
bool IsLogged(LogLevel level, size_t module);
// Writes it, whatever the levels are.
void LogLine(LogLevel level, std::string_view line, size_t module = kNoModule);

// A format, and where it stands.
template <typename... Args>
struct LogText {
  template <std::convertible_to<std::string_view> Text>
  consteval LogText(const Text& text, const char* file = __builtin_FILE())
      : format(text), module(ModuleOfFile(file)) {}
  fmt::format_string<Args...> format;
  size_t module;
};

template <typename... Args>
void Log(LogLevel level, const LogText<Args...>& text, Args&&... args) {
  if (!IsLogged(level, text.module)) return;
  LogLine(level, fmt::format(text.format, std::forward<Args>(args)...), text.module);
}
template <typename... Args>
void LogDebug(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  Log<Args...>(LogLevel::kDebug, text, std::forward<Args>(args)...);
}
template <typename... Args>
void LogInfo(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  Log<Args...>(LogLevel::kInfo, text, std::forward<Args>(args)...);
}
template <typename... Args>
void LogWarning(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  Log<Args...>(LogLevel::kWarning, text, std::forward<Args>(args)...);
}
template <typename... Args>
void LogError(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  Log<Args...>(LogLevel::kError, text, std::forward<Args>(args)...);
}

}  // namespace opic::base

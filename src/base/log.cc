#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace opic::base {
namespace {

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Before StartLog: warnings and errors, on standard error.
spdlog::logger& Early() {
  static spdlog::logger& logger = []() -> spdlog::logger& {
    auto made = spdlog::stderr_color_mt("early");
    made->set_level(spdlog::level::warn);
    spdlog::set_default_logger(made);
    return *made;
  }();
  return logger;
}

}  // namespace

bool StartLog(const std::string& path, LogLevel level) {
  Early();
  std::shared_ptr<spdlog::logger> logger;
  try {
    logger = path.empty() ? spdlog::stderr_color_mt("opic") : spdlog::basic_logger_mt("opic", path);
  } catch (const spdlog::spdlog_ex&) {
    return false;
  }
  logger->set_level(LevelOf(level));
  logger->flush_on(spdlog::level::info);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %v");
  spdlog::set_default_logger(logger);
  return true;
}

void LogLine(LogLevel level, std::string_view line) {
  Early();
  spdlog::default_logger_raw()->log(LevelOf(level),
                                    spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace opic::base

#include "base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/json_string.h"
#include "base/log_part.h"

namespace opic::base {
namespace {

constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %v";

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// What is in force, and the same by module, for lines to look at.
struct InForce {
  InForce() { Set(LogLevel::kWarning); }
  void Set(const LogLevels& given) {
    const absl::MutexLock lock(&mu);
    levels = given;
    for (size_t module = 0; module <= kNoModule; ++module) by_module[module] = given.all;
    for (const auto& [name, level] : given.modules) by_module[ModuleNamed(name)] = level;
  }
  absl::Mutex mu;
  LogLevels levels ABSL_GUARDED_BY(mu);
  std::array<std::atomic<LogLevel>, kNoModule + 1> by_module;
};
InForce& Levels() {
  static auto& levels = *new InForce();
  return levels;
}

// Before StartLog, on standard error. Lines are chosen by Levels().
spdlog::logger& Early() {
  static spdlog::logger& logger = []() -> spdlog::logger& {
    auto made = spdlog::stderr_color_mt("early");
    made->set_level(spdlog::level::trace);
    made->set_pattern(kTextPattern);
    spdlog::set_default_logger(made);
    return *made;
  }();
  return logger;
}

// A file that is only ever appended to, and may be opened again after it was moved away.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(std::string path) : path_(std::move(path)), file_(Opened()) {}
  ~FileSink() override {
    if (file_ != nullptr) std::fclose(file_);
  }
  bool ok() const { return file_ != nullptr; }
  // False: it cannot be opened; lines go on into the one before.
  bool Reopen() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::FILE* file = Opened();
    if (file == nullptr) return false;
    if (file_ != nullptr) std::fclose(file_);
    file_ = file;
    return true;
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& line) override {
    spdlog::memory_buf_t text;
    formatter_->format(line, text);
    std::fwrite(text.data(), 1, text.size(), file_);
  }
  void flush_() override { std::fflush(file_); }

 private:
  std::FILE* Opened() const { return std::fopen(path_.c_str(), "ae"); }
  const std::string path_;
  std::FILE* file_;
};

// {"time":"2026-11-22T17:00:00.123+00:00","level":"info","message":"...","module":"rpc"}; with
// "node" of a thread that has a LogPart. It is called on the thread that writes the line.
class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& out) override {
    const std::string time = absl::FormatTime("%Y-%m-%dT%H:%M:%E3S%Ez", absl::FromChrono(line.time),
                                              absl::LocalTimeZone());
    const auto level = spdlog::level::to_string_view(line.level);
    fmt::format_to(std::back_inserter(out), "{{\"time\":\"{}\",\"level\":\"{}\",\"message\":{}",
                   time, std::string_view(level.data(), level.size()),
                   JsonString({line.payload.data(), line.payload.size()}));
    if (!line.source.empty())
      fmt::format_to(std::back_inserter(out), ",\"module\":\"{}\"", line.source.filename);
    if (!LogPart().empty())
      fmt::format_to(std::back_inserter(out), ",\"node\":{}", JsonString(LogPart()));
    fmt::format_to(std::back_inserter(out), "}}\n");
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

// A line of text begins with its part.
std::atomic<bool> parts_within_lines = true;

FileSink* file_sink = nullptr;  // of the log that was started; null: it is not in a file

}  // namespace

bool StartLog(const std::string& path, const LogLevels& levels, LogFormat format) {
  Early();
  spdlog::drop("opic");
  file_sink = nullptr;
  std::shared_ptr<spdlog::logger> logger;
  // A line of progress may stand on the terminal: the log takes its place.
  std::string begin;
  if (path.empty()) {
    const char* no_colour = std::getenv("NO_COLOR");
    const bool colours = no_colour == nullptr || *no_colour == '\0';
    logger = colours ? spdlog::stderr_color_mt("opic") : spdlog::stderr_logger_mt("opic");
    if (isatty(STDERR_FILENO) != 0 && format == LogFormat::kText) begin = "\r\033[K";
  } else {
    const auto sink = std::make_shared<FileSink>(path);
    if (!sink->ok()) return false;
    file_sink = sink.get();
    logger = std::make_shared<spdlog::logger>("opic", sink);
  }
  Levels().Set(levels);
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::trace);
  parts_within_lines = format != LogFormat::kJson;
  if (format == LogFormat::kJson) {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger->set_pattern(begin + kTextPattern);
  }
  spdlog::set_default_logger(logger);
  return true;
}

bool ReopenLog() { return file_sink == nullptr || file_sink->Reopen(); }

void SetLogLevels(const LogLevels& levels) { Levels().Set(levels); }

LogLevels CurrentLogLevels() {
  InForce& now = Levels();
  const absl::MutexLock lock(&now.mu);
  return now.levels;
}

bool IsLogged(LogLevel level, size_t module) {
  return level >= Levels().by_module[module].load(std::memory_order_relaxed);
}

void LogLine(LogLevel level, std::string_view line, size_t module) {
  Early();
  // A line number says that there is a place; the name ends in a zero, as it is a literal.
  const spdlog::source_loc place = module == kNoModule
                                       ? spdlog::source_loc()
                                       : spdlog::source_loc(kModules[module].data(), 1, "");
  std::string with_part;
  if (!LogPart().empty() && parts_within_lines) {
    with_part = fmt::format("{}: {}", LogPart(), line);
    line = with_part;
  }
  spdlog::default_logger_raw()->log(place, LevelOf(level),
                                    spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace opic::base

// The log of this process, which a test wants to look at.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>

#include "absl/time/clock.h"
#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "tests/support/own_path.h"

namespace opic::support {

// The log goes to a file as long as this lives, and nowhere afterwards.
class LogLines {
 public:
  LogLines() {
    std::filesystem::remove(path_);
    OPIC_CHECK(base::StartLog(path_, base::LogLevel::kInfo));
  }
  ~LogLines() { base::StartLog("/dev/null", base::LogLevel::kError); }

  // How many have these words.
  int With(const std::string& words) const {
    std::istringstream log(base::ReadFile(path_).value_or(""));
    int lines = 0;
    for (std::string line; std::getline(log, line);)
      lines += line.find(words) != std::string::npos ? 1 : 0;
    return lines;
  }
  // Waits until some has; false: none came.
  bool Await(const std::string& words) const {
    const absl::Time end = absl::Now() + absl::Seconds(20);
    while (With(words) == 0 && absl::Now() < end) absl::SleepFor(absl::Milliseconds(5));
    return With(words) > 0;
  }

 private:
  const std::string path_ = OwnPath("log-lines");
};

}  // namespace opic::support

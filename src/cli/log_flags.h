// Where a program's log goes, and in which form.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/log.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct LogFlags {
  std::string file;  // empty: standard error
  std::string format = "text";

  void AddTo(CLI::App& app);
  // What Start would refuse, without making a file.
  absl::Status Check() const;
  // Begins the log, from `level` up. InvalidArgument: the file cannot be opened, or the format is
  // not known.
  absl::Status Start(base::LogLevel level = base::LogLevel::kInfo) const;
};

}  // namespace opic::cli

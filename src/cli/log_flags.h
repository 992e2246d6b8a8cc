// Where a program's log goes, and in which form.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/log.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct LogFlags {
  std::string file;  // empty: standard error
  std::string format = "text";
  std::string level;  // empty: the program's own

  void AddTo(CLI::App& app);
  // What Start would refuse, without making a file.
  absl::Status Check() const;
  // Begins the log, from `own` up where --log-level says nothing. InvalidArgument: the file cannot
  // be opened, or the format or a level is not known.
  absl::Status Start(base::LogLevel own = base::LogLevel::kInfo) const;

 private:
  absl::StatusOr<base::LogLevels> LevelsAbove(base::LogLevel own) const;
};

}  // namespace opic::cli

#include "cli/exit_code.h"

#include <fmt/core.h>

#include <cstdio>

#include "absl/time/clock.h"
#include "base/disk_failure.h"
#include "cli/setting_source.h"
#include "process/signals.h"

namespace opic::cli {

namespace {

std::string& ProgramName() {
  static std::string& name = *new std::string("opic");
  return name;
}

}  // namespace

void SetProgramName(const std::string& name) { ProgramName() = name; }

int PrintUsage(const std::string& what) {
  fmt::print(stderr, "{}: {}\nTry --help.\n", ProgramName(), what);
  return kUsage;
}

int PrintError(const absl::Status& status) {
  fmt::print(stderr, "{}: {}\n", ProgramName(), WithSource(std::string(status.message())));
  if (base::IsDiskFailure(status)) return kStoreFailed;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
      return kUsage;
    case absl::StatusCode::kFailedPrecondition:
      return kFolderRefused;
    case absl::StatusCode::kDataLoss:
      return kDamaged;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kResourceExhausted:
      return kStoreFailed;
    default:
      return kFailed;
  }
}

int Refused(const absl::Status& status, bool hold) {
  const int code = PrintError(status);
  if (!hold || code < kFolderRefused || code > kNotFound) return code;
  fmt::print(stderr, "{}: waiting to be stopped, because a restart would not help (exit code {})\n",
             ProgramName(), code);
  std::fflush(stderr);
  while (!process::SignalCaught()) absl::SleepFor(absl::Milliseconds(100));
  return code;
}

}  // namespace opic::cli

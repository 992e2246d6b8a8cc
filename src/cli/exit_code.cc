#include "cli/exit_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "absl/time/time.h"
#include "base/disk_failure.h"
#include "cli/setting_source.h"
#include "process/signals.h"

namespace opic::cli {

namespace {

std::string& ProgramName() {
  static std::string& name = *new std::string("opic");
  return name;
}

constexpr ExitMeaning kMeanings[] = {
    {kOk, "done"},
    {kFailed, "failed; audit: the sums differ"},
    {kUsage, "a wrong flag, key, variable or value, or a file of an option that may not be opened"},
    {kFolderRefused, "data folder refused: in use, not permitted, or of another crawl or version"},
    {kDamaged, "data folder damaged"},
    {kNotFound, "not found: a folder, a file, or a URL that is not known"},
    {kUnreachable,
     "a node or scheduler does not answer or is too busy, or an address cannot be listened on"},
    {kPartial, "partial: a node of the cluster did not answer"},
    {kNothingFetched, "nothing could be fetched"},
    {kAttention, "it runs, but somebody must see to it"},
    {kStoreFailed, "full disk or I/O error; nothing is lost"},
    {kInterrupted, "interrupted; saved"},
};

// What only a question or a crawl that ends can give.
bool OfCommandsOnly(const ExitMeaning& meaning) {
  return meaning.code == kPartial || meaning.code == kNothingFetched || meaning.code == kAttention;
}

}  // namespace

std::vector<ExitMeaning> ExitMeanings(bool service) {
  std::vector<ExitMeaning> meanings;
  std::copy_if(std::begin(kMeanings), std::end(kMeanings), std::back_inserter(meanings),
               [&](const ExitMeaning& meaning) { return !service || !OfCommandsOnly(meaning); });
  return meanings;
}

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
  while (!process::SignalCaught()) process::AwaitSignal(absl::InfiniteDuration());
  return code;
}

}  // namespace opic::cli

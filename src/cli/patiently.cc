#include "cli/patiently.h"

#include <fmt/core.h>

#include "absl/time/clock.h"
#include "base/clock.h"

namespace opic::cli {
namespace {

bool MayPass(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status) || absl::IsCancelled(status);
}

}  // namespace

void TellOfWait(const std::string& node, const std::string& why) {
  fmt::print(stderr, "opic: waiting for {}: {}\n", node, why);
}

absl::Status AskPatiently(const std::function<absl::Status()>& ask, const Patience& patience) {
  base::Clock& clock = base::RealClock::Get();
  const absl::Time begin = clock.Steady();
  for (bool told = !patience.waiting;;) {
    if (patience.given_up && patience.given_up())
      return absl::CancelledError("the answer is not needed any more");
    absl::Status status = ask();
    const absl::Duration waited = clock.Steady() - begin;
    if (status.ok() || !MayPass(status) || waited >= patience.most) return status;
    if (!told && waited >= patience.told_after) {
      patience.waiting(status);
      told = true;
    }
    absl::SleepFor(patience.pause);
  }
}

}  // namespace opic::cli

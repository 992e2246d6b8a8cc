#include "rpc/grpc_log.h"

#include <grpc/support/log.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kSilence = absl::Seconds(10);
constexpr size_t kLineBytesMax = 500;

// Bounded: one entry for each place in gRPC's code that logs errors.
struct LastSaid {
  absl::Mutex mu;
  std::map<std::pair<std::string_view, int>, absl::Time> at ABSL_GUARDED_BY(mu);  // file and line
};

thread_local QuietGrpc* quiet = nullptr;  // of this thread

// `... os_error:"Address already in use", errno:98 ...`; empty: it names none.
std::string SystemErrorIn(std::string_view said) {
  constexpr std::string_view kBegin = "os_error:\"";
  const size_t at = said.find(kBegin);
  if (at == said.npos) return "";
  said.remove_prefix(at + kBegin.size());
  return std::string(said.substr(0, said.find('"')));
}

void Take(gpr_log_func_args* said) {
  if (said->severity != GPR_LOG_SEVERITY_ERROR) return;
  if (quiet != nullptr) {
    quiet->Heard(SystemErrorIn(said->message));
    return base::LogDebug("gRPC: {}", base::PlainText(said->message, kLineBytesMax));
  }
  static auto& last = *new LastSaid();
  const absl::Time now = base::RealClock::Get().Steady();
  {
    const absl::MutexLock lock(&last.mu);
    absl::Time& before =
        last.at.try_emplace({said->file, said->line}, absl::InfinitePast()).first->second;
    if (now < before + kSilence) return;
    before = now;
  }
  base::LogWarning("gRPC: {}", base::PlainText(said->message, kLineBytesMax));
}

}  // namespace

void TakeGrpcLog() { gpr_set_log_function(Take); }

QuietGrpc::QuietGrpc() { quiet = this; }
QuietGrpc::~QuietGrpc() { quiet = nullptr; }

}  // namespace opic::rpc

#include "process/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/check.h"
#include "base/log.h"

namespace opic::process {
namespace {

volatile sig_atomic_t signals_caught = 0;
volatile sig_atomic_t hung_up = 0;

// The handlers write to it, and AwaitSignal waits for it. -1: no signal is caught yet.
volatile sig_atomic_t arrived = -1;

void OpenArrived() {
  if (arrived >= 0) return;
  arrived = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  OPIC_CHECK(arrived >= 0) << "no eventfd: errno " << errno;
}

void TellArrived() {
  const int saved = errno;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(arrived, &one, sizeof(one));
  errno = saved;
}

void OnSignal(int) {
  if (signals_caught > 0) {
    static constexpr char kSaid[] =
        "\nopic: stopped at once; what was under way is fetched again by the next start\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSaid, sizeof(kSaid) - 1);
    _exit(kExitInterrupted);
  }
  signals_caught = signals_caught + 1;
  TellArrived();
}

void OnHangUp(int) {
  hung_up = 1;
  TellArrived();
}

}  // namespace

void CatchHangUp() {
  OpenArrived();
  struct sigaction action = {};
  action.sa_handler = OnHangUp;
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

void CatchSignals(HangUp hang_up) {
  OpenArrived();
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (hang_up == HangUp::kEnds) {
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
    signal(SIGPIPE, SIG_IGN);
    return;
  }
  CatchHangUp();
  signal(SIGPIPE, SIG_IGN);
}

bool SignalCaught() { return signals_caught > 0; }

void AwaitSignal(absl::Duration patience) {
  pollfd arrival{.fd = arrived, .events = POLLIN, .revents = 0};  // poll passes over -1
  const timespec time = absl::ToTimespec(std::max(patience, absl::ZeroDuration()));
  if (ppoll(&arrival, 1, &time, nullptr) <= 0) return;
  uint64_t signals = 0;
  [[maybe_unused]] const ssize_t drained = read(arrived, &signals, sizeof(signals));
}

bool ReopenLogWhenAsked() {
  if (hung_up == 0) return false;
  hung_up = 0;
  if (base::ReopenLog()) {
    base::LogInfo("SIGHUP: the log goes on here");
  } else {
    base::LogError("SIGHUP: the log's file cannot be opened again; the log goes on in the old one");
  }
  return true;
}

}  // namespace opic::process

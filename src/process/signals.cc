#include "process/signals.h"

#include <signal.h>
#include <unistd.h>

#include "base/log.h"

namespace opic::process {
namespace {

volatile sig_atomic_t signals_caught = 0;
volatile sig_atomic_t hung_up = 0;

void OnSignal(int) {
  if (signals_caught > 0) {
    static constexpr char kSaid[] =
        "\nopic: stopped at once; what was under way is fetched again by the next start\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSaid, sizeof(kSaid) - 1);
    _exit(kExitInterrupted);
  }
  signals_caught = signals_caught + 1;
}

void OnHangUp(int) { hung_up = 1; }

}  // namespace

void CatchHangUp() {
  struct sigaction action = {};
  action.sa_handler = OnHangUp;
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

void CatchSignals(HangUp hang_up) {
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

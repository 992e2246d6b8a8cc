#include "process/signals.h"

#include <signal.h>
#include <unistd.h>

namespace opic::process {
namespace {

volatile sig_atomic_t signals_caught = 0;

void OnSignal(int) {
  if (signals_caught > 0) _exit(kExitInterrupted);
  signals_caught = signals_caught + 1;
}

}  // namespace

void CatchSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

bool SignalCaught() { return signals_caught > 0; }

}  // namespace opic::process

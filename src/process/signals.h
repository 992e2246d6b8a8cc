// Signals that end a process.
//
// Thread safety: SignalCaught from any thread, CatchSignals from one.
#pragma once

namespace opic::process {

inline constexpr int kExitInterrupted = 130;  // as shells say of SIGINT

// Ctrl-C and SIGTERM: the first is counted, for the main loop to see; the second ends the process
// at once (exit 130). What is on disk is whole in either case.
void CatchSignals();
bool SignalCaught();

}  // namespace opic::process

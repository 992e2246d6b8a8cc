// Signals that end a process, and the one that opens its log and reads files again.
//
// Thread safety: SignalCaught from any thread, the others from one.
#pragma once

#include "absl/time/time.h"

namespace opic::process {

inline constexpr int kExitInterrupted = 130;  // as shells say of SIGINT

// Ctrl-C and SIGTERM: the first is counted, for the main loop to see; the second ends the process
// at once (exit 130). What is on disk is whole in either case. SIGHUP, of a terminal that was
// closed or a log that was rotated, ends nothing but what has nothing to save: there it is as
// SIGTERM, unless the process was started to ignore it (nohup).
enum class HangUp { kReopensLog, kEnds };
void CatchSignals(HangUp hang_up = HangUp::kReopensLog);
// SIGHUP alone: what a server does first, as its files may take a while to read. It is seen by the
// first ReopenLogWhenAsked.
void CatchHangUp();
bool SignalCaught();
// Sleeps for `patience`, by the monotonic clock, or until one of these signals arrives. Returns at
// once if one has arrived since the last call.
void AwaitSignal(absl::Duration patience);
// After a SIGHUP: opens the log's file again, and says so; true: other files are to be read again,
// too. To be called every now and then.
bool ReopenLogWhenAsked();

}  // namespace opic::process

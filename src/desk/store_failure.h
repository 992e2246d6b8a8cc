// What a node does when its store fails while it runs: it ends. Who had asked for the change that
// could not be written hears why first.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace opic::desk {

// The exit code of a process whose store failed while it ran (full disk, I/O error). The folder is
// whole.
inline constexpr int kExitStoreFailed = 74;
// Exit code of a process that has read damaged data. A restart does not help.
inline constexpr int kExitDamaged = 4;

// The store has failed, as opposed to a change that was refused: a full disk, an I/O error, damage.
bool IsStoreFailure(const absl::Status& status);
// What the caller is told whose change met the IsStoreFailure `status`: EndsProcess, and why.
// ResourceExhausted or, of damage, DataLoss, so that a command ends with the code of the process.
// The process must end (EndOnStoreFailure) when that is said.
absl::Status ProcessEnds(const absl::Status& status);
bool EndsProcess(const absl::Status& status);

// Unless `status` is OK: says on standard error and in the log that `who` ("the ledger") cannot go
// on, and why, and ends the process with kExitStoreFailed, or kExitDamaged after DataLoss. No
// destructor runs: after a failed write memory is ahead of the disk, and the next start recovers
// from there rather than this one going on in doubt.
//
// Thread safety: pure until it ends.
void EndOnStoreFailure(std::string_view who, const absl::Status& status);

}  // namespace opic::desk

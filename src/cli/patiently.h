// How commands wait for nodes: they ask again, and say on standard error what they wait for.
//
// Thread safety: any thread.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "rpc/wait_notice.h"

namespace opic::cli {

// "opic: waiting for n1: connection refused".
void TellOfWait(const std::string& node, const std::string& why);

struct Patience {
  absl::Duration most = absl::Seconds(60);         // with a node that does not answer
  absl::Duration pause = absl::Milliseconds(300);  // before it is asked again
  // Told once that the node does not answer for longer than `told_after`, with what it says, or
  // what the call came to. May be empty.
  std::function<void(const absl::Status& why)> waiting;
  absl::Duration told_after = rpc::kWaitToldAfter;
  // Nobody needs the answer any more, or it cannot come. May be empty.
  std::function<bool()> given_up;
};

// Asks until the node answers, if only to refuse: what `ask` came to the last time. It must be safe
// to repeat. Unavailable and the like: it did not answer for `most`; Cancelled: `given_up`.
absl::Status AskPatiently(const std::function<absl::Status()>& ask, const Patience& patience);

}  // namespace opic::cli

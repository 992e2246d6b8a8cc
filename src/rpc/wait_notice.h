// Says of something that is waited for that it lasts.
//
//   const WaitNotice notice([] { fmt::print(stderr, "waiting for n1\n"); });
//   return AskN1();  // silent unless it takes longer than kWaitToldAfter
//
// Thread safety: confined to one thread; `tell` is called by another.
#pragma once

#include <functional>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace opic::rpc {

constexpr absl::Duration kWaitToldAfter = absl::Seconds(2);

class WaitNotice {
 public:
  // Calls `tell` once, unless it is destroyed before. An empty `tell` costs nothing.
  explicit WaitNotice(std::function<void()> tell, absl::Duration after = kWaitToldAfter);
  // Waits for a `tell` under way.
  ~WaitNotice();
  WaitNotice(const WaitNotice&) = delete;
  WaitNotice& operator=(const WaitNotice&) = delete;

 private:
  absl::Notification over_;
  std::thread thread_;
};

}  // namespace opic::rpc

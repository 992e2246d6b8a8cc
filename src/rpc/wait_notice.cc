#include "rpc/wait_notice.h"

#include <utility>

namespace opic::rpc {

WaitNotice::WaitNotice(std::function<void()> tell, absl::Duration after) {
  if (!tell) return;
  thread_ = std::thread([this, after, tell = std::move(tell)] {
    if (!over_.WaitForNotificationWithTimeout(after)) tell();
  });
}

WaitNotice::~WaitNotice() {
  over_.Notify();
  if (thread_.joinable()) thread_.join();
}

}  // namespace opic::rpc

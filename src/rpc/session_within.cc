#include "rpc/session_within.h"

#include <memory>
#include <utility>

#include "absl/synchronization/notification.h"

namespace opic::rpc {

SessionWithin::SessionWithin(SessionOwner& owner, SchedulerCallbacks callbacks)
    : owner_(owner), callbacks_(std::move(callbacks)) {}

SessionWithin::~SessionWithin() { Stop(); }

void SessionWithin::Start() {
  connected_ = owner_.Post([this] {
    owner_.Begin(this);
    callbacks_.on_session();
  });
}

void SessionWithin::Send(schedule::ToScheduler message) {
  {
    absl::MutexLock lock(&mu_);
    waiting_.push_back(std::move(message));
    if (waiting_.size() > 1) return;  // the event for these is on its way
  }
  owner_.Post([this] { Deliver(); });
}

void SessionWithin::Stop() {
  if (stop_called_.exchange(true)) return;
  absl::Notification ended;
  const bool runs = owner_.Post([this, &ended] {
    owner_.End(this);
    ended.Notify();
  });
  if (runs) ended.WaitForNotification();
}

absl::StatusOr<schedule::HostExplanation> SessionWithin::ExplainHost(const std::string& host) {
  struct Asked {
    schedule::HostExplanation answer;
    absl::Notification answered;
  };
  auto asked = std::make_shared<Asked>();
  const bool runs = owner_.Post([&owner = owner_, asked, host] {
    asked->answer = owner.Explain(host);
    asked->answered.Notify();
  });
  if (!runs || !asked->answered.WaitForNotificationWithTimeout(kAnswerPatience))
    return absl::UnavailableError("the Page Scheduler does not answer");
  return asked->answer;
}

void SessionWithin::Deliver() {
  std::vector<schedule::ToScheduler> messages;
  {
    absl::MutexLock lock(&mu_);
    messages.swap(waiting_);
  }
  for (const schedule::ToScheduler& message : messages) owner_.Hear(this, message);
}

void SessionWithin::Send(std::vector<schedule::ToNode> messages) {
  for (schedule::ToNode& message : messages) callbacks_.on_message(std::move(message));
}

void SessionWithin::Close(const grpc::Status& /*status*/) { connected_ = false; }

}  // namespace opic::rpc

// A node's way to its Page Scheduler over gRPC: opens a session, and a new one whenever the one
// before has ended.
//
// Messages wait while one batch is being written. What requests have taught of their hosts is told
// in the next session when it was not written in one. A scheduler that ends may not have handled
// what was: of the last half minute Retry-After and Crawl-delay are told again, which are as true
// when told twice.
//
// Thread safety: synchronised inside. The callbacks run on the client's thread.
#pragma once

#include <memory>

#include "rpc/scheduler_session.h"

namespace grpc {
class Channel;
}

namespace opic::rpc {

class SchedulerClient final : public SchedulerSession {
 public:
  SchedulerClient(std::shared_ptr<grpc::Channel> channel, SchedulerCallbacks callbacks);
  ~SchedulerClient() override;  // as Stop()

  void Start() override;
  void Send(schedule::ToScheduler message) override;
  void Stop() override;
  // True for kSessionGrace more after a session has ended, or the first was begun.
  bool connected() const override;
  absl::StatusOr<schedule::HostExplanation> ExplainHost(const std::string& host) override;
  static constexpr absl::Duration kSessionGrace = absl::Seconds(2);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc

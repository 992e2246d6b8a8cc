// A node's way to its Page Scheduler over gRPC, in the same process or beside it: opens a session,
// and a new one whenever the one before has ended.
//
// Messages wait in memory while one batch is being written; their number is bounded by the protocol
// (one directive open, one outcome an order). Without a session they are dropped: the next begins
// with Hello.
//
// Thread safety: synchronised inside. The callbacks run on the client's thread and may block.
#pragma once

#include <functional>
#include <memory>

#include "node/ledger_loop.h"
#include "schedule/messages.h"

namespace grpc {
class Channel;
}

namespace opic::rpc {

class SchedulerClient final : public desk::SchedulerLink {
 public:
  struct Callbacks {
    std::function<void()> on_session;
    std::function<void(schedule::ToNode)> on_message;
  };
  SchedulerClient(std::shared_ptr<grpc::Channel> channel, Callbacks callbacks);
  ~SchedulerClient() override;  // as Stop()

  void Start();  // opens the first session
  void Send(schedule::ToScheduler message) override;
  // Ends the session. No callback runs afterwards. Idempotent.
  void Stop();
  // True for kSessionGrace more after a session has ended, or the first was begun.
  bool connected() const override;
  static constexpr absl::Duration kSessionGrace = absl::Seconds(2);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc

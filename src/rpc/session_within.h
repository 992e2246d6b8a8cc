// A node's session with the Page Scheduler of its own process: the same messages as over a stream,
// from thread to thread.
//
// Thread safety: synchronised inside; the owner's calls are for the owner thread, but Post.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "rpc/scheduler_session.h"
#include "rpc/scheduler_stream.h"

namespace opic::rpc {

// Who owns the scheduler. It outlives its sessions' work, and they may outlive its thread.
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  // Runs `work` on the owner thread. False: that has ended, and nothing was run.
  virtual bool Post(std::function<void()> work) = 0;

  // Owner thread only, from here.
  virtual void Begin(NodeEnd* node) = 0;  // it has the session now
  virtual void End(NodeEnd* node) = 0;
  // False: no session of this node, or no Hello yet; nothing was done with the message.
  virtual bool Hear(NodeEnd* node, const schedule::ToScheduler& message) = 0;
  // Its times are the wall clock's.
  virtual schedule::HostExplanation Explain(const std::string& host) = 0;
};

// What the node sends gathers; one event at most is on its way to the owner thread, which takes all
// there is.
class SessionWithin final : public SchedulerSession, NodeEnd {
 public:
  // `owner` must outlive it until Stop.
  SessionWithin(SessionOwner& owner, SchedulerCallbacks callbacks);
  ~SessionWithin() override;  // as Stop()

  void Start() override;
  void Send(schedule::ToScheduler message) override;
  void Stop() override;
  bool connected() const override { return connected_; }
  absl::StatusOr<schedule::HostExplanation> ExplainHost(const std::string& host) override;

 private:
  // Owner thread.
  void Deliver();
  void Send(std::vector<schedule::ToNode> messages) override;
  void Close(const grpc::Status& status) override;

  SessionOwner& owner_;
  const SchedulerCallbacks callbacks_;
  std::atomic<bool> connected_ = false, stop_called_ = false;
  absl::Mutex mu_;
  std::vector<schedule::ToScheduler> waiting_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::rpc

// One stream between a node that runs elsewhere and its Page Scheduler (opic.v1.PageScheduler).
//
// gRPC's own threads only post events; the owner of `Events` takes them and makes every call on the
// stream.
//
// Thread safety: its fields belong to the owner thread, except during a read or write under way.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <variant>
#include <vector>

#include "base/bounded_queue.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/schedule_wire.h"

namespace opic::rpc {

// What the scheduler says to whoever has the session. Owner thread only.
class NodeEnd {
 public:
  virtual ~NodeEnd() = default;
  virtual void Send(std::vector<schedule::ToNode> messages) = 0;
  virtual void Close(const grpc::Status& status) = 0;
};

using SchedulerReactor = grpc::ServerBidiReactor<v1::SessionRequest, v1::SessionResponse>;

class SchedulerStream final : public SchedulerReactor, public NodeEnd {
 public:
  struct Opened {
    SchedulerStream* stream;
  };
  struct Read {
    SchedulerStream* stream;
    bool ok;
  };
  struct Written {
    SchedulerStream* stream;
    bool ok;
  };
  struct Ended {  // to be deleted
    SchedulerStream* stream;
  };
  using Event = std::variant<Opened, Read, Written, Ended, std::function<void()>>;
  using Events = base::BoundedQueue<Event>;

  // `events` must outlive it.
  explicit SchedulerStream(Events& events) : events_(events) {
    if (!events_.Push(Opened{this}))
      Close(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the scheduler is stopping"));
  }
  void OnReadDone(bool ok) override { events_.Push(Read{this, ok}); }
  void OnWriteDone(bool ok) override { events_.Push(Written{this, ok}); }
  void OnDone() override {
    if (!events_.Push(Ended{this})) delete this;  // nobody else knows it any more
  }

  // Owner thread only, from here.
  void ReadNext() {
    if (!finished_) StartRead(&incoming_);
  }
  void Send(std::vector<schedule::ToNode> messages) override {
    for (schedule::ToNode& message : messages) waiting_.push_back(std::move(message));
    WriteNext();
  }
  void WriteEnded() {
    writing_ = false;
    WriteNext();
  }
  void Close(const grpc::Status& status) override {
    if (finished_) return;
    finished_ = true;
    Finish(status);
  }
  const v1::SessionRequest& incoming() const { return incoming_; }

 private:
  void WriteNext() {
    if (writing_ || finished_ || waiting_.empty()) return;
    outgoing_.Clear();
    for (const schedule::ToNode& message : waiting_) ToWire(message, outgoing_.add_messages());
    waiting_.clear();
    writing_ = true;
    StartWrite(&outgoing_);
  }

  Events& events_;
  v1::SessionRequest incoming_;
  v1::SessionResponse outgoing_;
  std::vector<schedule::ToNode> waiting_;
  bool writing_ = false, finished_ = false;
};

// Somebody who takes this for a scheduler of its own.
class RefusedStream final : public SchedulerReactor {
 public:
  explicit RefusedStream(const std::string& why) {
    Finish(grpc::Status(grpc::StatusCode::PERMISSION_DENIED, why));
  }
  void OnDone() override { delete this; }
};

}  // namespace opic::rpc

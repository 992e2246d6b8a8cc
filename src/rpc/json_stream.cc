#include "rpc/json_stream.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

// Reads begin outside of the callbacks, so the call is held until one has failed or none will come.
class Reader final : public JsonStream,
                     public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                     public std::enable_shared_from_this<Reader> {
 public:
  Reader(std::shared_ptr<grpc::Channel> channel, std::unique_ptr<grpc::ClientContext> context,
         const std::string& request, Listener listener)
      : channel_(std::move(channel)), context_(std::move(context)), listener_(std::move(listener)) {
    const grpc::Slice slice(request);
    request_ = grpc::ByteBuffer(&slice, 1);
  }

  void Begin(const std::string& path) {
    self_ = shared_from_this();
    grpc::GenericStub(channel_).PrepareBidiStreamingCall(context_.get(), path, grpc::StubOptions(),
                                                         this);
    AddHold();
    StartWriteLast(&request_, grpc::WriteOptions());
    StartRead(&reply_);
    StartCall();
  }

  void Next() override {
    const absl::MutexLock lock(&mu_);
    if (state_ != State::kIdle) return;
    state_ = State::kReading;
    StartRead(&reply_);
  }

  void GiveUp() override {
    bool held = false;
    {
      const absl::MutexLock lock(&mu_);
      if (state_ == State::kOver) return;
      given_up_ = true;
      context_->TryCancel();
      held = state_ == State::kIdle;
      if (held) state_ = State::kOver;
    }
    if (held) RemoveHold();
  }

 private:
  enum class State { kReading, kIdle, kOver };

  void OnReadDone(bool ok) override {
    bool over = false;
    {
      const absl::MutexLock lock(&mu_);
      over = !ok || given_up_;
      state_ = over ? State::kOver : State::kIdle;
    }
    if (over) return RemoveHold();
    const grpc::ByteBuffer reply = std::exchange(reply_, grpc::ByteBuffer());
    listener_.reply(reply);
  }

  void OnDone(const grpc::Status& status) override {
    const std::shared_ptr<Reader> self = std::move(self_);
    // What listens may have this object.
    const Listener listener = std::exchange(listener_, {});
    listener.ended(FromGrpc(status));
  }

  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<grpc::ClientContext> context_;
  grpc::ByteBuffer request_, reply_;
  Listener listener_;
  std::shared_ptr<Reader> self_;  // until the call is over
  absl::Mutex mu_;
  State state_ ABSL_GUARDED_BY(mu_) = State::kReading;
  bool given_up_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace

std::shared_ptr<JsonStream> JsonStream::Begin(std::shared_ptr<grpc::Channel> channel,
                                              const std::string& path,
                                              std::unique_ptr<grpc::ClientContext> context,
                                              const std::string& request, Listener listener) {
  const auto reader = std::make_shared<Reader>(std::move(channel), std::move(context), request,
                                               std::move(listener));
  reader->Begin(path);
  return reader;
}

}  // namespace opic::rpc

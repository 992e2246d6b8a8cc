// What the calls of opic.v1.Control have in common at either end: how the client asks, and how the
// service answers.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "node/control.h"
#include "opic/v1/control.grpc.pb.h"
#include "rpc/node_caller.h"
#include "rpc/question_threads.h"

namespace opic::rpc {

// Thread safety: as NodeCaller.
class ControlClientEnd : public node::Control {
 public:
  // `caller` must outlive it.
  explicit ControlClientEnd(const NodeCaller& caller)
      : caller_(caller), stub_(v1::Control::NewStub(caller.channel())) {}

 protected:
  using Stub = v1::Control::Stub;
  template <typename Request, typename Reply>
  using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Reply*);

  template <typename Request, typename Reply>
  absl::StatusOr<Reply> Ask(Method<Request, Reply> method,
                            const Request& request = Request()) const {
    return caller_.Ask(*stub_, method, request);
  }
  template <typename Request, typename Reply>
  absl::StatusOr<Reply> AskForScan(Method<Request, Reply> method,
                                   const Request& request = Request()) const {
    return caller_.AskForScan(*stub_, method, request);
  }

 private:
  const NodeCaller& caller_;
  const std::unique_ptr<Stub> stub_;
};

// Requests that hold lists come undecoded.
template <typename Base>
using WithRawLists =
    v1::Control::WithRawCallbackMethod_AddSeeds<v1::Control::WithRawCallbackMethod_BeginCrawl<
        v1::Control::WithRawCallbackMethod_TuneHosts<Base>>>;

// Thread safety: as QuestionThreads.
class ControlServiceEnd : public WithRawLists<v1::Control::CallbackService> {
 public:
  // `questions` must outlive it.
  explicit ControlServiceEnd(QuestionThreads& questions) : questions_(questions) {}

 protected:
  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  QuestionThreads& questions() const { return questions_; }
  node::Control& control() const { return questions_.node().control(); }
  Caller CallerOf(const Context& context) const { return questions_.gate().CallerOf(context); }

  // Answers what changes nothing. Callers must have the role `needed`, here and below.
  Reactor* Tell(Context* context, Role needed, std::function<absl::Status()> tell) {
    return questions_.own().Answer(context, needed, std::move(tell));
  }
  // Does what changes something, and the trail has it (rpc/noted_call.h). `call`: its name;
  // `bytes`: of the request, when they are many; `in_passing`: node::Act.
  template <typename Request>
  Reactor* Act(Context* context, Role needed, const char* call, const Request& request,
               std::function<absl::Status()> act, size_t bytes = 0, bool in_passing = false) {
    return questions_.own().Answer(
        context, needed, questions_.Noted(*context, call, request, std::move(act), in_passing),
        bytes);
  }
  // The same for a request that holds a list.
  template <typename Request, typename Reply>
  Reactor* ActOnList(Context* context, Role needed, const char* call, const grpc::ByteBuffer& wire,
                     grpc::ByteBuffer* reply,
                     std::function<absl::Status(const Request&, Reply*)> act) {
    const auto request = ReadList<Request>(wire);
    if (!request.ok()) return Refuse(context, request.status());
    const auto decoded = [request = *request, reply, act = std::move(act)]() -> absl::Status {
      Reply answer;
      RETURN_IF_ERROR(act(*request, &answer));
      *reply = Serialize(answer);
      return absl::OkStatus();
    };
    return Act(context, needed, call, **request, decoded, wire.Length());
  }

 private:
  QuestionThreads& questions_;
};

}  // namespace opic::rpc

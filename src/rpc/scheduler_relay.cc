#include "rpc/scheduler_relay.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/noted_call.h"
#include "rpc/reply.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

// A change that the scheduler makes later all the same should not be told as refused.
constexpr absl::Duration kPatience = absl::Seconds(30);

// A caller that has less time left ends the call earlier.
std::unique_ptr<grpc::ClientContext> Onward(const grpc::CallbackServerContext& context) {
  std::unique_ptr<grpc::ClientContext> onward = grpc::ClientContext::FromCallbackServerContext(
      context, grpc::PropagationOptions().enable_deadline_propagation());
  const auto latest = absl::ToChronoTime(absl::Now() + kPatience);
  onward->set_deadline(std::min(context.deadline(), latest));
  return onward;
}

// Of a scheduler that hangs: the caller's own time was not over.
absl::Status AsOfNode(const absl::Status& status) {
  if (!absl::IsDeadlineExceeded(status)) return status;
  return absl::UnavailableError("no answer in time");
}

}  // namespace

class SchedulerRelay::Impl final : public v1::PageScheduler::CallbackService {
 public:
  Impl(std::shared_ptr<grpc::Channel> channel, const Gate& gate, node::AuditTrail* trail)
      : scheduler_(v1::PageScheduler::NewStub(std::move(channel))), gate_(gate), trail_(trail) {}

  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const v1::PageSchedulerStatusRequest* request,
                                   v1::PageSchedulerStatusResponse* reply) override {
    return PassOn(context, Role::kReader, [=, this](grpc::ClientContext* onward, Then then) {
      scheduler_->async()->Status(onward, request, reply, std::move(then));
    });
  }
  grpc::ServerUnaryReactor* ExplainHost(grpc::CallbackServerContext* context,
                                        const v1::ExplainHostRequest* request,
                                        v1::ExplainHostResponse* reply) override {
    return PassOn(context, Role::kReader, [=, this](grpc::ClientContext* onward, Then then) {
      scheduler_->async()->ExplainHost(onward, request, reply, std::move(then));
    });
  }
  grpc::ServerUnaryReactor* ExplainWaiting(grpc::CallbackServerContext* context,
                                           const v1::ExplainWaitingRequest* request,
                                           v1::ExplainWaitingResponse* reply) override {
    return PassOn(context, Role::kReader, [=, this](grpc::ClientContext* onward, Then then) {
      scheduler_->async()->ExplainWaiting(onward, request, reply, std::move(then));
    });
  }
  grpc::ServerUnaryReactor* SetBudget(grpc::CallbackServerContext* context,
                                      const v1::SetBudgetRequest* request,
                                      v1::SetBudgetResponse* reply) override {
    return PassOn(context, Role::kOperator, [=, this](grpc::ClientContext* onward, Then then) {
      const Then noted = [=, this, caller = gate_.CallerOf(*context)](grpc::Status status) {
        NoteCall(trail_, caller, "SetBudget", *request, FromGrpc(status));
        then(std::move(status));
      };
      scheduler_->async()->SetBudget(onward, request, reply, noted);
    });
  }

 private:
  using Then = std::function<void(grpc::Status)>;

  // The reply that `ask` fills belongs to the call, which is open until the scheduler has answered.
  grpc::ServerUnaryReactor* PassOn(grpc::CallbackServerContext* context, Role needed,
                                   const std::function<void(grpc::ClientContext*, Then)>& ask) {
    auto* reply = new Reply();
    if (const absl::Status may = gate_.Admit(*context, needed); !may.ok()) {
      reply->End(may);
      return reply;
    }
    std::shared_ptr<grpc::ClientContext> onward = Onward(*context);
    ShowUser(gate_.CallerOf(*context), *onward);
    grpc::ClientContext* const call = onward.get();
    ask(call, [reply, onward = std::move(onward)](const grpc::Status& status) {
      reply->End(base::WithContext(AsOfNode(FromGrpc(status)), "asking the Page Scheduler"));
    });
    return reply;
  }

  const std::unique_ptr<v1::PageScheduler::Stub> scheduler_;
  const Gate gate_;
  node::AuditTrail* const trail_;
};

SchedulerRelay::SchedulerRelay(std::shared_ptr<grpc::Channel> channel, const Gate& gate,
                               node::AuditTrail* trail)
    : impl_(std::make_unique<Impl>(std::move(channel), gate, trail)) {}
SchedulerRelay::~SchedulerRelay() = default;
grpc::Service* SchedulerRelay::service() { return impl_.get(); }

}  // namespace opic::rpc

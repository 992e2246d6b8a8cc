#include "rpc/node_services.h"

#include <grpcpp/grpcpp.h>

#include <thread>

#include "base/bounded_queue.h"
#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

constexpr size_t kWaitingMax = 64;
constexpr int kBatchUrlsMax = 10'000;
constexpr uint32_t kTopMax = 100'000;

// Answers calls one after the other on its own thread.
class AnswerThread {
 public:
  AnswerThread() : waiting_(kWaitingMax), thread_([this] { Loop(); }) {}
  ~AnswerThread() { Stop(); }

  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                   std::function<absl::Status()> fill) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const bool taken =
        waiting_.TryPush([fill = std::move(fill), reactor] { reactor->Finish(ToGrpc(fill())); });
    if (!taken) {
      reactor->Finish(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                                   "too many questions wait for an answer"));
    }
    return reactor;
  }

  void Stop() {
    waiting_.Close();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Loop() {
    while (std::optional<std::function<void()>> answer = waiting_.Pop()) (*answer)();
  }

  base::BoundedQueue<std::function<void()>> waiting_;
  std::thread thread_;
};

class ImportanceService final : public v1::Importance::CallbackService {
 public:
  ImportanceService(node::Answers& answers, AnswerThread& thread)
      : answers_(answers), thread_(thread) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetImportanceRequest* request,
                                v1::PageImportance* reply) override {
    return thread_.Answer(context, [this, request, reply]() -> absl::Status {
      const absl::StatusOr<std::vector<node::PageImportance>> pages =
          answers_.Importance({request->url()});
      if (pages.ok()) ToWire(pages->front(), reply);
      return pages.status();
    });
  }

  grpc::ServerUnaryReactor* BatchGet(grpc::CallbackServerContext* context,
                                     const v1::BatchGetImportanceRequest* request,
                                     v1::BatchGetImportanceReply* reply) override {
    return thread_.Answer(context, [this, request, reply]() -> absl::Status {
      if (request->urls_size() > kBatchUrlsMax)
        return absl::InvalidArgumentError("more than 10,000 URLs");
      const absl::StatusOr<std::vector<node::PageImportance>> pages =
          answers_.Importance({request->urls().begin(), request->urls().end()});
      if (!pages.ok()) return pages.status();
      for (const node::PageImportance& page : *pages) ToWire(page, reply->add_pages());
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* Top(grpc::CallbackServerContext* context, const v1::TopRequest* request,
                                v1::TopReply* reply) override {
    return thread_.Answer(context, [this, request, reply]() -> absl::Status {
      if (request->count() > kTopMax) return absl::InvalidArgumentError("more than 100,000 pages");
      const absl::StatusOr<node::Answers::TopPages> top =
          answers_.Top(request->count() == 0 ? 10 : request->count());
      if (top.ok()) ToWire(*top, reply);
      return top.status();
    });
  }

 private:
  node::Answers& answers_;
  AnswerThread& thread_;
};

class ControlService final : public v1::Control::CallbackService {
 public:
  ControlService(const NodeServices::Node& node, AnswerThread& thread)
      : node_(node), thread_(thread) {}

  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context, const v1::StatusRequest*,
                                   v1::StatusReply* reply) override {
    return thread_.Answer(context, [this, reply]() -> absl::Status {
      const absl::StatusOr<node::NodeStats> stats = node_.answers->Stats();
      if (stats.ok()) ToWire(*stats, reply);
      return stats.status();
    });
  }

  grpc::ServerUnaryReactor* Pause(grpc::CallbackServerContext* context,
                                  const v1::PauseRequest* request, v1::PauseReply*) override {
    return thread_.Answer(context, [this, request] {
      node_.pause(request->paused());
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* AddSeeds(grpc::CallbackServerContext* context,
                                     const v1::AddSeedsRequest* request,
                                     v1::AddSeedsReply*) override {
    return thread_.Answer(context, [this, request] {
      return node_.add_seeds({request->urls().begin(), request->urls().end()});
    });
  }

  grpc::ServerUnaryReactor* Stop(grpc::CallbackServerContext* context, const v1::StopRequest*,
                                 v1::StopReply*) override {
    return thread_.Answer(context, [this] {
      node_.stop();
      return absl::OkStatus();
    });
  }

 private:
  const NodeServices::Node node_;
  AnswerThread& thread_;
};

class AuditService final : public v1::Audit::CallbackService {
 public:
  AuditService(node::Answers& answers, AnswerThread& thread) : answers_(answers), thread_(thread) {}

  grpc::ServerUnaryReactor* Take(grpc::CallbackServerContext* context, const v1::AuditRequest*,
                                 v1::AuditReply* reply) override {
    return thread_.Answer(context, [this, reply]() -> absl::Status {
      const absl::StatusOr<node::Audit> audit = answers_.TakeAudit();
      if (audit.ok()) ToWire(*audit, reply);
      return audit.status();
    });
  }

 private:
  node::Answers& answers_;
  AnswerThread& thread_;
};

}  // namespace

class NodeServices::Impl {
 public:
  explicit Impl(const Node& node)
      : importance(*node.answers, thread), control(node, thread), audit(*node.answers, thread) {}
  AnswerThread thread;
  ImportanceService importance;
  ControlService control;
  AuditService audit;
};

NodeServices::NodeServices(Node node) : impl_(std::make_unique<Impl>(node)) {}
NodeServices::~NodeServices() = default;
std::vector<grpc::Service*> NodeServices::services() {
  return {&impl_->importance, &impl_->control, &impl_->audit};
}
void NodeServices::Stop() { impl_->thread.Stop(); }

}  // namespace opic::rpc

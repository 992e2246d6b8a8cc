#include "rpc/node_services.h"

#include <grpcpp/grpcpp.h>

#include <set>
#include <thread>

#include "base/bounded_queue.h"
#include "base/status_macros.h"
#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/audit_wire.h"
#include "rpc/rpc_status.h"
#include "rpc/shards_wire.h"

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

// Who answers a question, and on which thread.
class Desk {
 public:
  explicit Desk(const NodeServices::Node& node) : node_(node) {}
  const NodeServices::Node& node() const { return node_; }
  node::Answers& Whom(bool local_only) {
    return local_only || node_.cluster == nullptr ? *node_.answers : *node_.cluster;
  }
  AnswerThread& At(bool local_only) {
    return local_only || node_.cluster == nullptr ? own_ : cluster_;
  }
  AnswerThread& own() { return own_; }
  AnswerThread& ForScan(bool local_only) {
    return local_only || node_.cluster == nullptr ? scans_ : cluster_;
  }
  void Stop() {
    for (AnswerThread* thread : {&own_, &scans_, &cluster_}) thread->Stop();
  }

 private:
  const NodeServices::Node node_;
  AnswerThread own_, scans_, cluster_;
};

class ImportanceService final : public v1::Importance::CallbackService {
 public:
  explicit ImportanceService(Desk& desk) : desk_(desk) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetImportanceRequest* request,
                                v1::PageImportance* reply) override {
    return desk_.At(request->local_only())
        .Answer(context, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<std::vector<node::PageImportance>> pages =
              desk_.Whom(request->local_only()).Importance({request->url()});
          if (pages.ok()) ToWire(pages->front(), reply);
          return pages.status();
        });
  }

  grpc::ServerUnaryReactor* BatchGet(grpc::CallbackServerContext* context,
                                     const v1::BatchGetImportanceRequest* request,
                                     v1::BatchGetImportanceReply* reply) override {
    return desk_.At(request->local_only()).Answer(context, [this, request, reply] {
      return GetAll(*request, reply);
    });
  }

  grpc::ServerUnaryReactor* Top(grpc::CallbackServerContext* context, const v1::TopRequest* request,
                                v1::TopReply* reply) override {
    return desk_.ForScan(request->local_only())
        .Answer(context, [this, request, reply]() -> absl::Status {
          if (request->count() > kTopMax)
            return absl::InvalidArgumentError("more than 100,000 pages");
          const absl::StatusOr<node::Answers::TopPages> top =
              desk_.Whom(request->local_only()).Top(request->count() == 0 ? 10 : request->count());
          if (top.ok()) ToWire(*top, reply);
          return top.status();
        });
  }

 private:
  absl::Status GetAll(const v1::BatchGetImportanceRequest& request,
                      v1::BatchGetImportanceReply* reply) {
    if (request.urls_size() > kBatchUrlsMax)
      return absl::InvalidArgumentError("more than 10,000 URLs");
    const absl::StatusOr<std::vector<node::PageImportance>> pages =
        desk_.Whom(request.local_only()).Importance({request.urls().begin(), request.urls().end()});
    if (!pages.ok()) return pages.status();
    std::set<std::string> missing;
    for (const node::PageImportance& page : *pages) {
      ToWire(page, reply->add_pages());
      if (!page.unanswered_by.empty()) missing.insert(page.unanswered_by);
    }
    for (const std::string& name : missing) reply->add_missing_nodes(name);
    return absl::OkStatus();
  }

  Desk& desk_;
};

node::CrawlOrder OrderOf(const v1::BeginCrawlRequest& request) {
  node::CrawlOrder order;
  order.seeds.assign(request.seeds().begin(), request.seeds().end());
  order.scope = request.scope();
  order.include.assign(request.include().begin(), request.include().end());
  order.exclude.assign(request.exclude().begin(), request.exclude().end());
  order.depth = request.depth();
  order.strip_tracking = request.strip_tracking();
  return order;
}

class ControlService final : public v1::Control::CallbackService {
 public:
  explicit ControlService(Desk& desk) : desk_(desk) {}

  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const v1::StatusRequest* request,
                                   v1::StatusReply* reply) override {
    return desk_.At(request->local_only())
        .Answer(context, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<node::NodeStats> stats = desk_.Whom(request->local_only()).Stats();
          if (stats.ok()) ToWire(*stats, reply);
          return stats.status();
        });
  }

  grpc::ServerUnaryReactor* Pause(grpc::CallbackServerContext* context,
                                  const v1::PauseRequest* request, v1::PauseReply*) override {
    return desk_.own().Answer(context, [this, request] {
      desk_.node().pause(request->paused());
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* AddSeeds(grpc::CallbackServerContext* context,
                                     const v1::AddSeedsRequest* request,
                                     v1::AddSeedsReply*) override {
    return desk_.own().Answer(context, [this, request] {
      return desk_.node().add_seeds({request->urls().begin(), request->urls().end()});
    });
  }

  grpc::ServerUnaryReactor* BeginCrawl(grpc::CallbackServerContext* context,
                                       const v1::BeginCrawlRequest* request,
                                       v1::BeginCrawlReply*) override {
    return desk_.own().Answer(context, [this, request] {
      if (!desk_.node().begin_crawl) return absl::UnimplementedError("the node is in no cluster");
      return desk_.node().begin_crawl(OrderOf(*request));
    });
  }

  grpc::ServerUnaryReactor* DeclareLost(grpc::CallbackServerContext* context,
                                        const v1::DeclareLostRequest* request,
                                        v1::DeclareLostReply* reply) override {
    return desk_.own().Answer(context, [this, request, reply]() -> absl::Status {
      if (!desk_.node().declare_lost) return absl::UnimplementedError("the node is in no cluster");
      if (request->node() > 0xffff) return absl::InvalidArgumentError("there is no such node");
      ASSIGN_OR_RETURN(const ledger::LostChannel lost,
                       desk_.node().declare_lost(NodeId{static_cast<uint16_t>(request->node())},
                                                 request->generation()));
      ToWire(lost, reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* MoveShards(grpc::CallbackServerContext* context,
                                       const v1::MoveShardsRequest* request,
                                       v1::MoveShardsReply*) override {
    return desk_.own().Answer(context, [this, request]() -> absl::Status {
      if (!desk_.node().move_shards) return absl::UnimplementedError("the node is in no cluster");
      ASSIGN_OR_RETURN(const MoveOrder order, FromWire(*request));
      return desk_.node().move_shards(order.shards, order.to);
    });
  }

  grpc::ServerUnaryReactor* Shards(grpc::CallbackServerContext* context, const v1::ShardsRequest*,
                                   v1::ShardsReply* reply) override {
    return desk_.own().Answer(context, [this, reply]() -> absl::Status {
      if (!desk_.node().shards) return absl::UnimplementedError("the node is in no cluster");
      ASSIGN_OR_RETURN(const std::vector<node::ShardStatus> shards, desk_.node().shards());
      ToWire(shards, reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* Stop(grpc::CallbackServerContext* context, const v1::StopRequest*,
                                 v1::StopReply*) override {
    return desk_.own().Answer(context, [this] {
      desk_.node().stop();
      return absl::OkStatus();
    });
  }

 private:
  Desk& desk_;
};

class AuditService final : public v1::Audit::CallbackService {
 public:
  explicit AuditService(Desk& desk) : desk_(desk) {}

  grpc::ServerUnaryReactor* Take(grpc::CallbackServerContext* context,
                                 const v1::AuditRequest* request, v1::AuditReply* reply) override {
    return desk_.At(request->local_only())
        .Answer(context, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<node::Audit> audit = desk_.Whom(request->local_only()).TakeAudit();
          if (audit.ok()) ToWire(*audit, reply);
          return audit.status();
        });
  }

  grpc::ServerUnaryReactor* Cut(grpc::CallbackServerContext* context, const v1::CutRequest* request,
                                v1::CutReply* reply) override {
    return desk_.own().Answer(context, [this, request, reply]() -> absl::Status {
      if (!desk_.node().cut) return absl::UnimplementedError("the node is in no cluster");
      const absl::StatusOr<ledger::Cut> cut = desk_.node().cut(request->epoch());
      if (cut.ok()) ToWire(*cut, reply);
      return cut.status();
    });
  }

 private:
  Desk& desk_;
};

}  // namespace

class NodeServices::Impl {
 public:
  explicit Impl(const Node& node) : desk(node), importance(desk), control(desk), audit(desk) {}
  Desk desk;
  ImportanceService importance;
  ControlService control;
  AuditService audit;
};

NodeServices::NodeServices(Node node) : impl_(std::make_unique<Impl>(node)) {}
NodeServices::~NodeServices() = default;
std::vector<grpc::Service*> NodeServices::services() {
  return {&impl_->importance, &impl_->control, &impl_->audit};
}
void NodeServices::Stop() { impl_->desk.Stop(); }

}  // namespace opic::rpc

#include "rpc/node_services.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/bounded_queue.h"
#include "base/status_macros.h"
#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/export.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/audit_wire.h"
#include "rpc/export_wire.h"
#include "rpc/frugal_message.h"
#include "rpc/gate.h"
#include "rpc/limits.h"
#include "rpc/refresh_wire.h"
#include "rpc/restating_wire.h"
#include "rpc/rpc_status.h"
#include "rpc/shards_wire.h"

namespace opic::rpc {
namespace {

constexpr size_t kWaitingMax = 64;
constexpr size_t kAnswerThreads = 3;
constexpr size_t kListMax = 100'000;  // fields of a question: its list and a few more
constexpr int kBatchUrlsMax = 10'000;
constexpr uint32_t kTopMax = 100'000;

// Whether the node is there to answer.
enum class Hours : uint8_t { kStarting, kOpen, kStopping };

absl::Status OutOf(Hours hours) {
  switch (hours) {
    case Hours::kStarting:
      return absl::UnavailableError("the node is starting: try again");
    case Hours::kStopping:
      return absl::UnavailableError("the node is stopping");
    case Hours::kOpen:
      return absl::ResourceExhaustedError("too many questions wait for an answer");
  }
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* Refuse(grpc::CallbackServerContext* context, const absl::Status& why) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(why));
  return reactor;
}

// Answers calls one after the other on its own thread.
class AnswerThread {
 public:
  // Both must outlive it.
  AnswerThread(const Gate& gate, const std::atomic<Hours>& hours)
      : gate_(gate), hours_(hours), waiting_(kWaitingMax), thread_([this] { Loop(); }) {}
  ~AnswerThread() { Stop(); }

  // `bytes`: of the question, which is held until it is answered.
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, Role needed,
                                   std::function<absl::Status()> fill, size_t bytes = 0) {
    if (const absl::Status may = gate_.Admit(*context, needed); !may.ok()) {
      return Refuse(context, may);
    }
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const bool fits = (bytes_ += bytes) <= kQuestionsBytesMax / kAnswerThreads;
    const bool taken = hours_ == Hours::kOpen && fits &&
                       waiting_.TryPush([this, fill = std::move(fill), reactor, bytes] {
                         const absl::Status status = fill();
                         bytes_ -= bytes;
                         reactor->Finish(ToGrpc(status));
                       });
    if (!taken) {
      bytes_ -= bytes;
      reactor->Finish(ToGrpc(OutOf(hours_)));
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

  const Gate& gate_;
  const std::atomic<Hours>& hours_;
  std::atomic<size_t> bytes_ = 0;  // of the questions that wait
  base::BoundedQueue<std::function<void()>> waiting_;
  std::thread thread_;
};

// A question that holds a list, of which the parts are counted before it is decoded.
template <typename Request>
absl::StatusOr<std::shared_ptr<const Request>> ReadList(const grpc::ByteBuffer& wire) {
  auto request = std::make_shared<Request>();
  RETURN_IF_ERROR(ParseFrugally(wire, kQuestionBytesMax, kListMax, request.get()));
  return request;
}

// Who answers a question, and on which thread.
class QuestionThreads {
 public:
  QuestionThreads(node::RunningNode& node, NodeServices::Options options)
      : node_(node), options_(std::move(options)) {}
  node::RunningNode& node() const { return node_; }
  node::Answers& AnswersFor(bool local_only) {
    if (local_only || options_.cluster == nullptr) return node_;
    return *options_.cluster;
  }
  AnswerThread& At(bool local_only) {
    return local_only || options_.cluster == nullptr ? own_ : cluster_;
  }
  AnswerThread& own() { return own_; }
  AnswerThread& ForScan(bool local_only) {
    return local_only || options_.cluster == nullptr ? scans_ : cluster_;
  }
  void Open() { hours_ = Hours::kOpen; }
  void Stop() {
    hours_ = Hours::kStopping;
    for (AnswerThread* thread : {&own_, &scans_, &cluster_}) thread->Stop();
  }

 private:
  node::RunningNode& node_;
  const NodeServices::Options options_;
  std::atomic<Hours> hours_ = Hours::kStarting;
  AnswerThread own_{options_.gate, hours_}, scans_{options_.gate, hours_},
      cluster_{options_.gate, hours_};
};

using RawImportance =
    v1::Importance::WithCallbackMethod_Get<v1::Importance::WithRawCallbackMethod_BatchGet<
        v1::Importance::WithCallbackMethod_Top<v1::Importance::Service>>>;

class ImportanceService final : public RawImportance {
 public:
  explicit ImportanceService(QuestionThreads& desk) : questions_(desk) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetImportanceRequest* request,
                                v1::PageImportance* reply) override {
    return questions_.At(request->local_only())
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<std::vector<node::PageImportance>> pages =
              questions_.AnswersFor(request->local_only()).Importance({request->url()});
          if (pages.ok()) ToWire(pages->front(), reply);
          return pages.status();
        });
  }

  grpc::ServerUnaryReactor* BatchGet(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* reply) override {
    const auto asked = ReadList<v1::BatchGetImportanceRequest>(*request);
    if (!asked.ok()) return Refuse(context, asked.status());
    return questions_.At((*asked)->local_only())
        .Answer(
            context, Role::kReader,
            [this, asked = *asked, reply] {
              v1::BatchGetImportanceReply answer;
              absl::Status status = GetAll(*asked, &answer);
              if (status.ok()) *reply = Serialize(answer);
              return status;
            },
            request->Length());
  }

  grpc::ServerUnaryReactor* Top(grpc::CallbackServerContext* context, const v1::TopRequest* request,
                                v1::TopReply* reply) override {
    return questions_.ForScan(request->local_only())
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          if (request->count() > kTopMax)
            return absl::InvalidArgumentError("more than 100,000 pages");
          const absl::StatusOr<node::Answers::TopPages> top =
              questions_.AnswersFor(request->local_only())
                  .Top(request->count() == 0 ? 10 : request->count());
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
        questions_.AnswersFor(request.local_only())
            .Importance({request.urls().begin(), request.urls().end()});
    if (!pages.ok()) return pages.status();
    std::set<std::string> missing;
    for (const node::PageImportance& page : *pages) {
      ToWire(page, reply->add_pages());
      if (!page.unanswered_by.empty()) missing.insert(page.unanswered_by);
    }
    for (const std::string& name : missing) reply->add_missing_nodes(name);
    return absl::OkStatus();
  }

  QuestionThreads& questions_;
};

absl::StatusOr<NodeId> NodeOf(uint32_t number) {
  if (number > 0xffff) return absl::InvalidArgumentError("there is no such node");
  return NodeId{static_cast<uint16_t>(number)};
}

template <typename Base>
using RawLists = v1::Control::WithRawCallbackMethod_AddSeeds<
    v1::Control::WithRawCallbackMethod_BeginCrawl<Base>>;

// Every node of a cluster has the same.
void TellBudget(v1::StatusReply* reply) {
  for (v1::StatusReply& node : *reply->mutable_nodes()) node.set_calls_bytes_max(kCallsBytesMax);
  const auto processes = static_cast<uint64_t>(std::max(reply->nodes_size(), 1));
  reply->set_calls_bytes_max(processes * kCallsBytesMax);
}

class ControlService final : public RawLists<v1::Control::CallbackService> {
 public:
  explicit ControlService(QuestionThreads& desk) : questions_(desk) {}

  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const v1::StatusRequest* request,
                                   v1::StatusReply* reply) override {
    return questions_.At(request->local_only())
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<node::NodeStats> stats =
              questions_.AnswersFor(request->local_only()).Stats();
          if (stats.ok()) ToWire(*stats, reply);
          TellBudget(reply);
          return stats.status();
        });
  }

  grpc::ServerUnaryReactor* Pause(grpc::CallbackServerContext* context,
                                  const v1::PauseRequest* request, v1::PauseReply*) override {
    return questions_.own().Answer(context, Role::kOperator, [this, request] {
      return questions_.node().Pause(request->paused());
    });
  }

  grpc::ServerUnaryReactor* TuneRefresh(grpc::CallbackServerContext* context,
                                        const v1::TuneRefreshRequest* request,
                                        v1::TuneRefreshReply*) override {
    return questions_.own().Answer(context, Role::kOperator, [this, request]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::RefreshTuning changes, FromWire(*request));
      return questions_.node().TuneRefresh(changes, request->anew());
    });
  }

  grpc::ServerUnaryReactor* WhenDue(grpc::CallbackServerContext* context, const v1::WhenDueRequest*,
                                    v1::WhenDueReply* reply) override {
    const auto ask = [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::DueTimes times, questions_.node().WhenDue());
      ToWire(times, reply);
      return absl::OkStatus();
    };
    return questions_.ForScan(/*local_only=*/true).Answer(context, Role::kReader, ask);
  }

  grpc::ServerUnaryReactor* AddSeeds(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* reply) override {
    const auto asked = ReadList<v1::AddSeedsRequest>(*request);
    if (!asked.ok()) return Refuse(context, asked.status());
    const auto add = [this, asked = *asked, reply] {
      *reply = Serialize(v1::AddSeedsReply());
      return questions_.node().AddSeeds({asked->urls().begin(), asked->urls().end()});
    };
    return questions_.own().Answer(context, Role::kNode, add, request->Length());
  }

  grpc::ServerUnaryReactor* BeginCrawl(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override {
    const auto asked = ReadList<v1::BeginCrawlRequest>(*request);
    if (!asked.ok()) return Refuse(context, asked.status());
    const auto begin = [this, asked = *asked, reply] {
      *reply = Serialize(v1::BeginCrawlReply());
      return questions_.node().BeginCrawl(FromWire(*asked));
    };
    return questions_.own().Answer(context, Role::kNode, begin, request->Length());
  }

  grpc::ServerUnaryReactor* DeclareLost(grpc::CallbackServerContext* context,
                                        const v1::DeclareLostRequest* request,
                                        v1::DeclareLostReply* reply) override {
    return questions_.own().Answer(
        context, Role::kOperator, [this, request, reply]() -> absl::Status {
          if (request->node() > 0xffff)
            return absl::InvalidArgumentError("the shard map has no such node");
          ASSIGN_OR_RETURN(
              const ledger::LostChannel lost,
              questions_.node().DeclareLost({NodeId{static_cast<uint16_t>(request->node())},
                                             request->generation(), request->ask()}));
          ToWire(lost, reply);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* CrawlOrder(grpc::CallbackServerContext* context,
                                       const v1::CrawlOrderRequest*,
                                       v1::BeginCrawlRequest* reply) override {
    return questions_.own().Answer(context, Role::kReader, [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::CrawlOrder order, questions_.node().Order());
      ToWire(order, reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* MendEpoch(grpc::CallbackServerContext* context,
                                      const v1::MendEpochRequest*,
                                      v1::MendEpochReply* reply) override {
    return questions_.own().Answer(context, Role::kOperator, [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::MendedEpoch mended, questions_.node().MendEpoch());
      reply->set_before(mended.before);
      reply->set_batches(mended.batches);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* MoveShards(grpc::CallbackServerContext* context,
                                       const v1::MoveShardsRequest* request,
                                       v1::MoveShardsReply*) override {
    return questions_.own().Answer(context, Role::kOperator, [this, request]() -> absl::Status {
      ASSIGN_OR_RETURN(const MoveOrder order, FromWire(*request));
      return questions_.node().MoveShards(order.shards, order.to);
    });
  }

  grpc::ServerUnaryReactor* Shards(grpc::CallbackServerContext* context, const v1::ShardsRequest*,
                                   v1::ShardsReply* reply) override {
    return questions_.own().Answer(context, Role::kReader, [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<node::ShardStatus> shards, questions_.node().Shards());
      ToWire(shards, reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* Stop(grpc::CallbackServerContext* context, const v1::StopRequest*,
                                 v1::StopReply*) override {
    return questions_.own().Answer(context, Role::kOperator,
                                   [this] { return questions_.node().StopNode(); });
  }

 private:
  QuestionThreads& questions_;
};

class AuditService final : public v1::Audit::CallbackService {
 public:
  explicit AuditService(QuestionThreads& desk) : questions_(desk) {}

  grpc::ServerUnaryReactor* Take(grpc::CallbackServerContext* context,
                                 const v1::AuditRequest* request, v1::AuditReply* reply) override {
    return questions_.At(request->local_only())
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<node::Audit> audit =
              questions_.AnswersFor(request->local_only()).TakeAudit();
          if (audit.ok()) ToWire(*audit, reply);
          return audit.status();
        });
  }

  grpc::ServerUnaryReactor* Cut(grpc::CallbackServerContext* context, const v1::CutRequest* request,
                                v1::CutReply* reply) override {
    return questions_.own().Answer(context, Role::kNode, [this, request, reply]() -> absl::Status {
      const absl::StatusOr<ledger::Cut> cut = questions_.node().TakeCut(request->epoch());
      if (cut.ok()) ToWire(*cut, reply);
      return cut.status();
    });
  }

  grpc::ServerUnaryReactor* PrepareRestating(grpc::CallbackServerContext* context,
                                             const v1::PrepareRestatingRequest* request,
                                             v1::PrepareRestatingReply*) override {
    return questions_.own().Answer(context, Role::kNode, [this, request]() -> absl::Status {
      return questions_.node().PrepareRestating(request->epoch());
    });
  }

  grpc::ServerUnaryReactor* Claims(grpc::CallbackServerContext* context,
                                   const v1::ClaimsRequest* request,
                                   v1::ClaimsReply* reply) override {
    return questions_.own().Answer(context, Role::kNode, [this, request, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const NodeId to, NodeOf(request->to()));
      ASSIGN_OR_RETURN(const ledger::Restating::Claims claims,
                       questions_.node().ClaimsFor(request->epoch(), to, request->part()));
      reply->set_claims(ledger::Encode(claims.part));
      reply->set_last(claims.last);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* AddClaims(grpc::CallbackServerContext* context,
                                      const v1::AddClaimsRequest* request,
                                      v1::AddClaimsReply*) override {
    const auto add = [this, request]() -> absl::Status {
      ASSIGN_OR_RETURN(const NodeId from, NodeOf(request->from()));
      ASSIGN_OR_RETURN(const std::vector<ledger::Drift> claims,
                       ledger::DecodeDrifts(request->claims()));
      return questions_.node().AddClaims(request->epoch(), from, request->part(), claims);
    };
    return questions_.own().Answer(context, Role::kNode, add, request->claims().size());
  }

  grpc::ServerUnaryReactor* EndRestating(grpc::CallbackServerContext* context,
                                         const v1::EndRestatingRequest* request,
                                         v1::EndRestatingReply* reply) override {
    return questions_.own().Answer(context, Role::kNode, [this, request, reply]() -> absl::Status {
      node::RestatementEnd end{.epoch = request->epoch(),
                               .correct = request->correct(),
                               .per_second = request->pages_per_second(),
                               .forget = request->forget()};
      for (const auto& [peer, sealed] : request->sealed()) {
        ASSIGN_OR_RETURN(const NodeId from, NodeOf(peer));
        end.sealed.emplace_back(from, sealed);
      }
      ASSIGN_OR_RETURN(const node::RestatedPart part, questions_.node().EndRestating(end));
      ToWire(part, reply);
      return absl::OkStatus();
    });
  }

 private:
  QuestionThreads& questions_;
};

class ExportService final : public v1::Export::CallbackService {
 public:
  explicit ExportService(QuestionThreads& desk) : questions_(desk) {}

  grpc::ServerUnaryReactor* Read(grpc::CallbackServerContext* context,
                                 const v1::ReadExportRequest* request,
                                 v1::ReadExportReply* reply) override {
    return questions_.ForScan(/*local_only=*/true)
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          ASSIGN_OR_RETURN(const node::ExportPosition position, FromWire(*request));
          ASSIGN_OR_RETURN(const node::ExportedRows rows, questions_.node().ReadExport(position));
          ToWire(rows, reply);
          return absl::OkStatus();
        });
  }

 private:
  QuestionThreads& questions_;
};

}  // namespace

class NodeServices::Impl {
 public:
  Impl(node::RunningNode& node, Options options)
      : desk(node, std::move(options)),
        importance(desk),
        control(desk),
        audit(desk),
        exported(desk) {}
  QuestionThreads desk;
  ImportanceService importance;
  ControlService control;
  AuditService audit;
  ExportService exported;
};

NodeServices::NodeServices(node::RunningNode& node, Options options)
    : impl_(std::make_unique<Impl>(node, std::move(options))) {}
NodeServices::~NodeServices() = default;
std::vector<grpc::Service*> NodeServices::services() {
  return {&impl_->importance, &impl_->control, &impl_->audit, &impl_->exported};
}
void NodeServices::Open() { impl_->desk.Open(); }
void NodeServices::Stop() { impl_->desk.Stop(); }

}  // namespace opic::rpc

#include "rpc/audit_service.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "opic/v1/audit.grpc.pb.h"
#include "rpc/audit_wire.h"
#include "rpc/question_threads.h"
#include "rpc/restating_wire.h"

namespace opic::rpc {
namespace {

absl::StatusOr<NodeId> NodeOf(uint32_t number) {
  if (number > 0xffff) return absl::InvalidArgumentError(absl::StrCat("there is no node ", number));
  return NodeId{static_cast<uint16_t>(number)};
}

class AuditService final : public v1::Audit::CallbackService {
 public:
  explicit AuditService(QuestionThreads& questions) : questions_(questions) {}

  grpc::ServerUnaryReactor* Take(grpc::CallbackServerContext* context,
                                 const v1::TakeRequest* request, v1::TakeResponse* reply) override {
    return questions_.At(request->local_only())
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<node::Audit> audit =
              questions_.AnswersFor(request->local_only()).TakeAudit();
          if (audit.ok()) ToWire(*audit, reply);
          return audit.status();
        });
  }

  grpc::ServerUnaryReactor* Cut(grpc::CallbackServerContext* context, const v1::CutRequest* request,
                                v1::CutResponse* reply) override {
    return questions_.own().Answer(context, Role::kNode, [this, request, reply]() -> absl::Status {
      const absl::StatusOr<ledger::Cut> cut = questions_.node().TakeCut(request->epoch());
      if (cut.ok()) ToWire(*cut, reply);
      return cut.status();
    });
  }

  grpc::ServerUnaryReactor* PrepareRestating(grpc::CallbackServerContext* context,
                                             const v1::PrepareRestatingRequest* request,
                                             v1::PrepareRestatingResponse*) override {
    const auto prepare = [this, request] {
      return questions_.node().PrepareRestating(request->epoch());
    };
    return questions_.own().Answer(
        context, Role::kNode, questions_.Noted(*context, "PrepareRestating", *request, prepare));
  }

  grpc::ServerUnaryReactor* Claims(grpc::CallbackServerContext* context,
                                   const v1::ClaimsRequest* request,
                                   v1::ClaimsResponse* reply) override {
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
                                      v1::AddClaimsResponse*) override {
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
                                         v1::EndRestatingResponse* reply) override {
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

}  // namespace

std::unique_ptr<grpc::Service> NewAuditService(QuestionThreads& questions) {
  return std::make_unique<AuditService>(questions);
}

}  // namespace opic::rpc

#include "rpc/control_service.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "opic/v1/control.grpc.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/audit_wire.h"
#include "rpc/host_rules_wire.h"
#include "rpc/in_force_wire.h"
#include "rpc/question_threads.h"
#include "rpc/refresh_wire.h"
#include "rpc/restating_wire.h"
#include "rpc/shards_wire.h"

namespace opic::rpc {
namespace {

template <typename Base>
using RawLists =
    v1::Control::WithRawCallbackMethod_AddSeeds<v1::Control::WithRawCallbackMethod_BeginCrawl<
        v1::Control::WithRawCallbackMethod_TuneHosts<Base>>>;

// Every node of a cluster has the same.
void TellBudget(v1::StatusReply* reply) {
  for (v1::StatusReply& node : *reply->mutable_nodes()) node.set_calls_bytes_max(kCallsBytesMax);
  const auto processes = static_cast<uint64_t>(std::max(reply->nodes_size(), 1));
  reply->set_calls_bytes_max(processes * kCallsBytesMax);
}

class ControlService final : public RawLists<v1::Control::CallbackService> {
 public:
  explicit ControlService(QuestionThreads& questions) : questions_(questions) {}

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
    const auto pause = [this, request] {
      return questions_.node().control().Pause(request->paused());
    };
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "Pause", *request, pause));
  }

  grpc::ServerUnaryReactor* TuneRefresh(grpc::CallbackServerContext* context,
                                        const v1::TuneRefreshRequest* request,
                                        v1::TuneRefreshReply*) override {
    const auto tune = [this, request]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::RefreshTuning changes, FromWire(*request));
      return questions_.node().control().TuneRefresh(changes, request->anew());
    };
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "TuneRefresh", *request, tune));
  }

  grpc::ServerUnaryReactor* TuneHosts(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* reply) override {
    const auto asked = ReadList<v1::TuneHostsRequest>(*request);
    if (!asked.ok()) return Refuse(context, asked.status());
    const auto tune = [this, asked = *asked, reply,
                       by = InWords(questions_.gate().CallerOf(*context))]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<node::HostChange> changes, FromWire(*asked));
      ASSIGN_OR_RETURN(const std::vector<node::KeptRule> rules,
                       questions_.node().control().TuneHosts(changes, by));
      v1::TuneHostsReply answer;
      for (const node::KeptRule& rule : rules) ToWire(rule, answer.add_rules());
      *reply = Serialize(answer);
      return absl::OkStatus();
    };
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "TuneHosts", **asked, tune),
                                   request->Length());
  }

  grpc::ServerUnaryReactor* InForce(grpc::CallbackServerContext* context, const v1::InForceRequest*,
                                    v1::InForceReply* reply) override {
    return questions_.own().Answer(context, Role::kOperator, [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::InForce now, questions_.node().control().WhatIsInForce());
      ToWire(now, reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* WhenDue(grpc::CallbackServerContext* context, const v1::WhenDueRequest*,
                                    v1::WhenDueReply* reply) override {
    const auto ask = [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::DueTimes times, questions_.node().control().WhenDue());
      ToWire(times, reply);
      return absl::OkStatus();
    };
    return questions_.ForScan(/*local_only=*/true).Answer(context, Role::kReader, ask);
  }

  grpc::ServerUnaryReactor* Publish(grpc::CallbackServerContext* context,
                                    const v1::PublishRequest* request,
                                    v1::PublishReply* reply) override {
    const auto publish = [this, request, reply,
                          caller = InWords(questions_.gate().CallerOf(*context))] {
      return PublishFor(caller, *request, reply);
    };
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "Publish", *request, publish));
  }

  grpc::ServerUnaryReactor* ListPublications(grpc::CallbackServerContext* context,
                                             const v1::ListPublicationsRequest*,
                                             v1::ListPublicationsReply* reply) override {
    return questions_.own().Answer(context, Role::kReader, [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<refresh::Publication> publications,
                       questions_.node().control().Publications());
      for (const refresh::Publication& publication : publications)
        ToWire(publication, reply->add_publications());
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* WithdrawPublication(grpc::CallbackServerContext* context,
                                                const v1::WithdrawPublicationRequest* request,
                                                v1::WithdrawPublicationReply*) override {
    const auto withdraw = [this, request] {
      return questions_.node().control().Withdraw(request->id());
    };
    return questions_.own().Answer(
        context, Role::kOperator,
        questions_.Noted(*context, "WithdrawPublication", *request, withdraw));
  }

  grpc::ServerUnaryReactor* AddSeeds(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* reply) override {
    const auto asked = ReadList<v1::AddSeedsRequest>(*request);
    if (!asked.ok()) return Refuse(context, asked.status());
    const auto add = [this, asked = *asked, reply] {
      *reply = Serialize(v1::AddSeedsReply());
      return questions_.node().control().AddSeeds({asked->urls().begin(), asked->urls().end()});
    };
    return questions_.own().Answer(context, Role::kNode,
                                   questions_.Noted(*context, "AddSeeds", **asked, add),
                                   request->Length());
  }

  grpc::ServerUnaryReactor* BeginCrawl(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* reply) override {
    const auto asked = ReadList<v1::BeginCrawlRequest>(*request);
    if (!asked.ok()) return Refuse(context, asked.status());
    const auto begin = [this, asked = *asked, reply]() -> absl::Status {
      *reply = Serialize(v1::BeginCrawlReply());
      ASSIGN_OR_RETURN(const node::CrawlOrder order, FromWire(*asked));
      return questions_.node().control().BeginCrawl(order);
    };
    return questions_.own().Answer(context, Role::kNode,
                                   questions_.Noted(*context, "BeginCrawl", **asked, begin),
                                   request->Length());
  }

  grpc::ServerUnaryReactor* DeclareLost(grpc::CallbackServerContext* context,
                                        const v1::DeclareLostRequest* request,
                                        v1::DeclareLostReply* reply) override {
    const auto declare = [this, request, reply]() -> absl::Status {
      if (request->node() > 0xffff)
        return absl::InvalidArgumentError(
            absl::StrCat("the shard map has no node ", request->node()));
      ASSIGN_OR_RETURN(
          const ledger::LostChannel lost,
          questions_.node().control().DeclareLost({NodeId{static_cast<uint16_t>(request->node())},
                                                   request->generation(), request->ask()}));
      ToWire(lost, reply);
      return absl::OkStatus();
    };
    if (request->ask()) return questions_.own().Answer(context, Role::kOperator, declare);
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "DeclareLost", *request, declare));
  }

  grpc::ServerUnaryReactor* CrawlOrder(grpc::CallbackServerContext* context,
                                       const v1::CrawlOrderRequest*,
                                       v1::BeginCrawlRequest* reply) override {
    // Rules name people.
    const bool reader = questions_.gate().CallerOf(*context).role < Role::kNode;
    return questions_.own().Answer(context, Role::kReader, [this, reply, reader]() -> absl::Status {
      ASSIGN_OR_RETURN(node::CrawlOrder order, questions_.node().control().Order());
      if (reader) order.hosts.clear();
      ToWire(order, reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* MendEpoch(grpc::CallbackServerContext* context,
                                      const v1::MendEpochRequest* request,
                                      v1::MendEpochReply* reply) override {
    const auto mend = [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const node::MendedEpoch mended, questions_.node().control().MendEpoch());
      reply->set_before(mended.before);
      reply->set_batches(mended.batches);
      return absl::OkStatus();
    };
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "MendEpoch", *request, mend));
  }

  grpc::ServerUnaryReactor* MoveShards(grpc::CallbackServerContext* context,
                                       const v1::MoveShardsRequest* request,
                                       v1::MoveShardsReply*) override {
    const auto move = [this, request]() -> absl::Status {
      ASSIGN_OR_RETURN(const MoveOrder order, FromWire(*request));
      return questions_.node().control().MoveShards(order.shards, order.to);
    };
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "MoveShards", *request, move));
  }

  grpc::ServerUnaryReactor* Shards(grpc::CallbackServerContext* context, const v1::ShardsRequest*,
                                   v1::ShardsReply* reply) override {
    return questions_.own().Answer(context, Role::kReader, [this, reply]() -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<node::ShardStatus> shards,
                       questions_.node().control().Shards());
      ToWire(shards, reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* Stop(grpc::CallbackServerContext* context,
                                 const v1::StopRequest* request, v1::StopReply*) override {
    const auto stop = [this] { return questions_.node().control().StopNode(); };
    return questions_.own().Answer(context, Role::kOperator,
                                   questions_.Noted(*context, "Stop", *request, stop));
  }

 private:
  absl::Status PublishFor(const std::string& caller, const v1::PublishRequest& request,
                          v1::PublishReply* reply) {
    ASSIGN_OR_RETURN(refresh::Publication publication, FromWire(request.publication()));
    publication.by = caller;
    ASSIGN_OR_RETURN(const node::Published published,
                     questions_.node().control().Publish(publication));
    reply->set_added(published.added);
    reply->set_seeded(published.seeded);
    return absl::OkStatus();
  }

  QuestionThreads& questions_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewControlService(QuestionThreads& questions) {
  return std::make_unique<ControlService>(questions);
}

}  // namespace opic::rpc

#include "rpc/control.h"

#include <algorithm>

#include "base/status_macros.h"
#include "rpc/cluster_control.h"
#include "rpc/host_rules_wire.h"
#include "rpc/in_force_wire.h"
#include "rpc/limits_wire.h"
#include "rpc/log_levels_wire.h"
#include "rpc/refresh_wire.h"
#include "rpc/restating_wire.h"
#include "rpc/seed_wire.h"
#include "rpc/status_wire.h"

namespace opic::rpc {
namespace {

using Reactor = grpc::ServerUnaryReactor;

// What the client sends.
class ControlClient final : public ClusterControlClient {
 public:
  using ClusterControlClient::ClusterControlClient;

  absl::Status Pause(bool paused) override;
  absl::Status StopNode() override;
  absl::Status SetLimits(const node::LimitChanges& changes, std::optional<uint32_t> depth,
                         bool as_started) override;
  absl::Status SetLogLevel(const base::LogLevelChange& change) override;
  absl::StatusOr<node::InForce> WhatIsInForce() override;
  absl::StatusOr<node::SeedResults> AddSeeds(const std::vector<std::string>& urls) override;
  absl::StatusOr<node::SeedResults> BeginCrawl(const node::CrawlOrder& order) override;
  absl::StatusOr<node::CrawlOrder> Order() override;
  absl::StatusOr<std::vector<node::KeptRule>> TuneHosts(
      const std::vector<node::HostChange>& changes, const std::string& by) override;
  absl::Status TuneRefresh(const node::RefreshTuning& changes, bool anew) override;
  absl::StatusOr<node::DueTimes> WhenDue() override;
  absl::StatusOr<node::Published> Publish(const refresh::Publication& publication) override;
  absl::StatusOr<std::vector<refresh::Publication>> Publications() override;
  absl::Status Withdraw(uint64_t id) override;
};

// What the service does with it.
class ControlService final : public ClusterControlService {
 public:
  using ClusterControlService::ClusterControlService;

  Reactor* GetStatus(Context*, const v1::GetStatusRequest*, v1::GetStatusResponse*) override;
  Reactor* Pause(Context*, const v1::PauseRequest*, v1::PauseResponse*) override;
  Reactor* Stop(Context*, const v1::StopRequest*, v1::StopResponse*) override;
  Reactor* SetLimits(Context*, const v1::SetLimitsRequest*, v1::SetLimitsResponse*) override;
  Reactor* SetLogLevel(Context*, const v1::SetLogLevelRequest*, v1::SetLogLevelResponse*) override;
  Reactor* InForce(Context*, const v1::InForceRequest*, v1::InForceResponse*) override;
  Reactor* AddSeeds(Context*, const grpc::ByteBuffer*, grpc::ByteBuffer*) override;
  Reactor* BeginCrawl(Context*, const grpc::ByteBuffer*, grpc::ByteBuffer*) override;
  Reactor* CrawlOrder(Context*, const v1::CrawlOrderRequest*, v1::CrawlOrderResponse*) override;
  Reactor* TuneHosts(Context*, const grpc::ByteBuffer*, grpc::ByteBuffer*) override;
  Reactor* TuneRefresh(Context*, const v1::TuneRefreshRequest*, v1::TuneRefreshResponse*) override;
  Reactor* WhenDue(Context*, const v1::WhenDueRequest*, v1::WhenDueResponse*) override;
  Reactor* Publish(Context*, const v1::PublishRequest*, v1::PublishResponse*) override;
  Reactor* ListPublications(Context*, const v1::ListPublicationsRequest*,
                            v1::ListPublicationsResponse*) override;
  Reactor* WithdrawPublication(Context*, const v1::WithdrawPublicationRequest*,
                               v1::WithdrawPublicationResponse*) override;
};

// Every node of a cluster has the same.
void TellBudget(node::NodeStats& stats) {
  for (node::NodeStats& node : stats.nodes) node.calls_bytes_max = kCallsBytesMax;
  stats.calls_bytes_max = std::max<uint64_t>(stats.nodes.size(), 1) * kCallsBytesMax;
}

// The client's side is with the other questions, in rpc/node_client.cc.
Reactor* ControlService::GetStatus(Context* context, const v1::GetStatusRequest* request,
                                   v1::GetStatusResponse* reply) {
  return questions()
      .At(request->local_only())
      .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
        ASSIGN_OR_RETURN(node::NodeStats stats,
                         questions().AnswersFor(request->local_only()).Stats());
        TellBudget(stats);
        ToWire(stats, reply);
        return absl::OkStatus();
      });
}

absl::Status ControlClient::Pause(bool paused) {
  v1::PauseRequest request;
  request.set_paused(paused);
  return Ask(&Stub::Pause, request).status();
}

// What holds already is not done again, nor noted: since when, and by whom, stays.
Reactor* ControlService::Pause(Context* context, const v1::PauseRequest* request,
                               v1::PauseResponse*) {
  const bool paused = request->paused();
  const auto pause = questions().Noted(*context, "Pause", *request,
                                       [this, paused] { return control().Pause(paused); });
  return Tell(context, Role::kOperator, [this, paused, pause]() -> absl::Status {
    ASSIGN_OR_RETURN(const node::InForce now, control().WhatIsInForce());
    return now.paused_since.has_value() == paused ? absl::OkStatus() : pause();
  });
}

absl::Status ControlClient::StopNode() { return Ask(&Stub::Stop).status(); }

Reactor* ControlService::Stop(Context* context, const v1::StopRequest* request, v1::StopResponse*) {
  return Act(context, Role::kOperator, "Stop", *request, [this] { return control().StopNode(); });
}

absl::Status ControlClient::SetLimits(const node::LimitChanges& changes,
                                      std::optional<uint32_t> depth, bool as_started) {
  v1::SetLimitsRequest request;
  ToWire(changes, &request);
  if (depth) request.set_depth(*depth);
  request.set_as_started(as_started);
  return Ask(&Stub::SetLimits, request).status();
}

Reactor* ControlService::SetLimits(Context* context, const v1::SetLimitsRequest* request,
                                   v1::SetLimitsResponse*) {
  return Act(context, Role::kOperator, "SetLimits", *request, [this, request] {
    const std::optional<uint32_t> depth =
        request->has_depth() ? std::optional<uint32_t>(request->depth()) : std::nullopt;
    return control().SetLimits(FromWire(*request), depth, request->as_started());
  });
}

absl::Status ControlClient::SetLogLevel(const base::LogLevelChange& change) {
  v1::SetLogLevelRequest request;
  ToWire(change, &request);
  return Ask(&Stub::SetLogLevel, request).status();
}

Reactor* ControlService::SetLogLevel(Context* context, const v1::SetLogLevelRequest* request,
                                     v1::SetLogLevelResponse*) {
  return Act(context, Role::kOperator, "SetLogLevel", *request, [this, request]() -> absl::Status {
    ASSIGN_OR_RETURN(const base::LogLevelChange change, FromWire(*request));
    return control().SetLogLevel(change);
  });
}

absl::StatusOr<node::InForce> ControlClient::WhatIsInForce() {
  ASSIGN_OR_RETURN(const v1::InForceResponse reply, Ask(&Stub::InForce));
  return FromWire(reply);
}

Reactor* ControlService::InForce(Context* context, const v1::InForceRequest*,
                                 v1::InForceResponse* reply) {
  return Tell(context, Role::kOperator, [this, reply]() -> absl::Status {
    ASSIGN_OR_RETURN(const node::InForce now, control().WhatIsInForce());
    ToWire(now, reply);
    return absl::OkStatus();
  });
}

absl::StatusOr<node::SeedResults> ControlClient::AddSeeds(const std::vector<std::string>& urls) {
  v1::AddSeedsRequest request;
  for (const std::string& url : urls) request.add_urls(url);
  ASSIGN_OR_RETURN(const v1::AddSeedsResponse reply, Ask(&Stub::AddSeeds, request));
  return FromWire(reply.seeds());
}

Reactor* ControlService::AddSeeds(Context* context, const grpc::ByteBuffer* wire,
                                  grpc::ByteBuffer* reply) {
  return ActOnList<v1::AddSeedsRequest, v1::AddSeedsResponse>(
      context, Role::kNode, "AddSeeds", *wire, reply,
      [this](const auto& request, auto* answer) -> absl::Status {
        ASSIGN_OR_RETURN(const node::SeedResults seeds,
                         control().AddSeeds({request.urls().begin(), request.urls().end()}));
        ToWire(seeds, answer->mutable_seeds());
        return absl::OkStatus();
      });
}

absl::StatusOr<node::SeedResults> ControlClient::BeginCrawl(const node::CrawlOrder& order) {
  v1::BeginCrawlRequest request;
  ToWire(order, &request);
  ASSIGN_OR_RETURN(const v1::BeginCrawlResponse reply, Ask(&Stub::BeginCrawl, request));
  return FromWire(reply.seeds());
}

Reactor* ControlService::BeginCrawl(Context* context, const grpc::ByteBuffer* wire,
                                    grpc::ByteBuffer* reply) {
  return ActOnList<v1::BeginCrawlRequest, v1::BeginCrawlResponse>(
      context, Role::kNode, "BeginCrawl", *wire, reply,
      [this](const auto& request, auto* answer) -> absl::Status {
        ASSIGN_OR_RETURN(const node::CrawlOrder order, FromWire(request));
        ASSIGN_OR_RETURN(const node::SeedResults seeds, control().BeginCrawl(order));
        ToWire(seeds, answer->mutable_seeds());
        return absl::OkStatus();
      });
}

absl::StatusOr<node::CrawlOrder> ControlClient::Order() {
  ASSIGN_OR_RETURN(const v1::CrawlOrderResponse reply, Ask(&Stub::CrawlOrder));
  return FromWire(reply);
}

Reactor* ControlService::CrawlOrder(Context* context, const v1::CrawlOrderRequest*,
                                    v1::CrawlOrderResponse* reply) {
  // Rules name people.
  const bool reader = CallerOf(*context).role < Role::kNode;
  return Tell(context, Role::kReader, [this, reply, reader]() -> absl::Status {
    ASSIGN_OR_RETURN(node::CrawlOrder order, control().Order());
    if (reader) order.hosts.clear();
    ToWire(order, reply);
    return absl::OkStatus();
  });
}

// Who asks for it, the service sees.
absl::StatusOr<std::vector<node::KeptRule>> ControlClient::TuneHosts(
    const std::vector<node::HostChange>& changes, const std::string&) {
  v1::TuneHostsRequest request;
  ToWire(changes, &request);
  ASSIGN_OR_RETURN(const v1::TuneHostsResponse reply, Ask(&Stub::TuneHosts, request));
  std::vector<node::KeptRule> rules;
  for (const v1::KeptHostRule& told : reply.rules()) {
    if (std::optional<node::KeptRule> rule = FromWire(told)) rules.push_back(*std::move(rule));
  }
  return rules;
}

Reactor* ControlService::TuneHosts(Context* context, const grpc::ByteBuffer* wire,
                                   grpc::ByteBuffer* reply) {
  return ActOnList<v1::TuneHostsRequest, v1::TuneHostsResponse>(
      context, Role::kOperator, "TuneHosts", *wire, reply,
      [this, by = InWords(CallerOf(*context))](const auto& request, auto* answer) -> absl::Status {
        ASSIGN_OR_RETURN(const std::vector<node::HostChange> changes, FromWire(request));
        ASSIGN_OR_RETURN(const std::vector<node::KeptRule> rules, control().TuneHosts(changes, by));
        for (const node::KeptRule& rule : rules) ToWire(rule, answer->add_rules());
        return absl::OkStatus();
      });
}

absl::Status ControlClient::TuneRefresh(const node::RefreshTuning& changes, bool anew) {
  v1::TuneRefreshRequest request;
  ToWire(changes, &request);
  request.set_anew(anew);
  return Ask(&Stub::TuneRefresh, request).status();
}

Reactor* ControlService::TuneRefresh(Context* context, const v1::TuneRefreshRequest* request,
                                     v1::TuneRefreshResponse*) {
  const auto tune = [this, request]() -> absl::Status {
    ASSIGN_OR_RETURN(const node::RefreshTuning changes, FromWire(*request));
    return control().TuneRefresh(changes, request->anew());
  };
  // A rate alone goes with a budget, which tells who has set it; the rest stays as it was.
  const bool budget = request->has_pages_per_s() && !request->has_share() &&
                      request->factors().empty() && !request->anew();
  return Act(context, Role::kOperator, "TuneRefresh", *request, tune, /*bytes=*/0, budget);
}

absl::StatusOr<node::DueTimes> ControlClient::WhenDue() {
  ASSIGN_OR_RETURN(const v1::WhenDueResponse reply, AskForScan(&Stub::WhenDue));
  return FromWire(reply);
}

Reactor* ControlService::WhenDue(Context* context, const v1::WhenDueRequest*,
                                 v1::WhenDueResponse* reply) {
  return questions()
      .ForScan(/*local_only=*/true)
      .Answer(context, Role::kReader, [this, reply]() -> absl::Status {
        ASSIGN_OR_RETURN(const node::DueTimes times, control().WhenDue());
        ToWire(times, reply);
        return absl::OkStatus();
      });
}

absl::StatusOr<node::Published> ControlClient::Publish(const refresh::Publication& publication) {
  v1::PublishRequest request;
  ToWire(publication, request.mutable_publication());
  ASSIGN_OR_RETURN(const v1::PublishResponse reply, Ask(&Stub::Publish, request));
  return node::Published{reply.added(), reply.seeded()};
}

Reactor* ControlService::Publish(Context* context, const v1::PublishRequest* request,
                                 v1::PublishResponse* reply) {
  const auto publish = [this, request, reply, by = InWords(CallerOf(*context))]() -> absl::Status {
    ASSIGN_OR_RETURN(refresh::Publication publication, FromWire(request->publication()));
    publication.by = by;
    ASSIGN_OR_RETURN(const node::Published published, control().Publish(publication));
    reply->set_added(published.added);
    reply->set_seeded(published.seeded);
    return absl::OkStatus();
  };
  return Act(context, Role::kOperator, "Publish", *request, publish);
}

absl::StatusOr<std::vector<refresh::Publication>> ControlClient::Publications() {
  ASSIGN_OR_RETURN(const v1::ListPublicationsResponse reply, Ask(&Stub::ListPublications));
  std::vector<refresh::Publication> publications;
  for (const v1::Publication& told : reply.publications()) {
    ASSIGN_OR_RETURN(refresh::Publication publication, FromWire(told));
    publications.push_back(std::move(publication));
  }
  return publications;
}

Reactor* ControlService::ListPublications(Context* context, const v1::ListPublicationsRequest*,
                                          v1::ListPublicationsResponse* reply) {
  return Tell(context, Role::kReader, [this, reply]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<refresh::Publication> publications,
                     control().Publications());
    for (const refresh::Publication& publication : publications)
      ToWire(publication, reply->add_publications());
    return absl::OkStatus();
  });
}

absl::Status ControlClient::Withdraw(uint64_t id) {
  v1::WithdrawPublicationRequest request;
  request.set_id(id);
  return Ask(&Stub::WithdrawPublication, request).status();
}

Reactor* ControlService::WithdrawPublication(Context* context,
                                             const v1::WithdrawPublicationRequest* request,
                                             v1::WithdrawPublicationResponse*) {
  return Act(context, Role::kOperator, "WithdrawPublication", *request,
             [this, request] { return control().Withdraw(request->id()); });
}

}  // namespace

std::unique_ptr<node::Control> NewControlClient(const NodeCaller& caller) {
  return std::make_unique<ControlClient>(caller);
}

std::unique_ptr<grpc::Service> NewControlService(QuestionThreads& questions) {
  return std::make_unique<ControlService>(questions);
}

}  // namespace opic::rpc

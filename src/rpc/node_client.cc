#include "rpc/node_client.h"

#include <grpcpp/grpcpp.h>

#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/export.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/audit_wire.h"
#include "rpc/export_wire.h"
#include "rpc/gate.h"
#include "rpc/host_rules_wire.h"
#include "rpc/in_force_wire.h"
#include "rpc/refresh_wire.h"
#include "rpc/restating_wire.h"
#include "rpc/rpc_status.h"
#include "rpc/server.h"
#include "rpc/shards_wire.h"
#include "rpc/waiting_wire.h"

namespace opic::rpc {
namespace {

class GrpcNodeClient final : public NodeClient {
 public:
  GrpcNodeClient(const std::string& address, const NodeClientOptions& options)
      : address_(address),
        options_(options),
        channel_(ChannelTo(address, options.tls, options.name)),
        importance_(v1::Importance::NewStub(channel_)),
        control_(v1::Control::NewStub(channel_)),
        audit_(v1::Audit::NewStub(channel_)),
        export_(v1::Export::NewStub(channel_)),
        scheduler_(v1::PageScheduler::NewStub(channel_)) {}

  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    v1::BatchGetImportanceRequest request;
    for (const std::string& url : urls) request.add_urls(url);
    request.set_local_only(options_.local_only);
    v1::BatchGetImportanceReply reply;
    RETURN_IF_ERROR(Call(&v1::Importance::Stub::BatchGet, *importance_, request, &reply));
    std::vector<node::PageImportance> pages;
    for (const v1::PageImportance& page : reply.pages()) pages.push_back(FromWire(page));
    return pages;
  }

  absl::StatusOr<TopPages> Top(size_t count) override {
    v1::TopRequest request;
    request.set_count(static_cast<uint32_t>(count));
    request.set_local_only(options_.local_only);
    v1::TopReply reply;
    RETURN_IF_ERROR(
        Call(&v1::Importance::Stub::Top, *importance_, request, &reply, ScanPatience()));
    return FromWire(reply);
  }

  absl::StatusOr<node::Audit> TakeAudit() override {
    v1::AuditRequest request;
    request.set_local_only(options_.local_only);
    v1::AuditReply reply;
    RETURN_IF_ERROR(Call(&v1::Audit::Stub::Take, *audit_, request, &reply));
    return FromWire(reply);
  }

  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override {
    v1::CutRequest request;
    request.set_epoch(epoch);
    v1::CutReply reply;
    RETURN_IF_ERROR(Call(&v1::Audit::Stub::Cut, *audit_, request, &reply));
    return FromWire(reply);
  }

  absl::StatusOr<node::NodeStats> Stats() override {
    v1::StatusRequest request;
    request.set_local_only(options_.local_only);
    v1::StatusReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::Status, *control_, request, &reply));
    return FromWire(reply);
  }

  absl::Status Pause(bool paused) override {
    v1::PauseRequest request;
    request.set_paused(paused);
    v1::PauseReply reply;
    return Call(&v1::Control::Stub::Pause, *control_, request, &reply);
  }

  absl::Status TuneRefresh(const node::RefreshTuning& changes, bool anew) override {
    v1::TuneRefreshRequest request;
    ToWire(changes, &request);
    request.set_anew(anew);
    v1::TuneRefreshReply reply;
    return Call(&v1::Control::Stub::TuneRefresh, *control_, request, &reply);
  }

  absl::StatusOr<std::vector<node::KeptRule>> TuneHosts(
      const std::vector<node::HostChange>& changes, const std::string&) override {
    v1::TuneHostsRequest request;
    ToWire(changes, &request);
    v1::TuneHostsReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::TuneHosts, *control_, request, &reply));
    std::vector<node::KeptRule> rules;
    for (const v1::KeptHostRule& told : reply.rules()) {
      if (std::optional<node::KeptRule> rule = FromWire(told)) rules.push_back(*std::move(rule));
    }
    return rules;
  }

  absl::StatusOr<node::InForce> WhatIsInForce() override {
    v1::InForceReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::InForce, *control_, v1::InForceRequest(), &reply));
    return FromWire(reply);
  }

  absl::StatusOr<node::DueTimes> WhenDue() override {
    v1::WhenDueReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::WhenDue, *control_, {}, &reply, ScanPatience()));
    return FromWire(reply);
  }

  absl::StatusOr<node::Published> Publish(const refresh::Publication& publication) override {
    v1::PublishRequest request;
    ToWire(publication, request.mutable_publication());
    v1::PublishReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::Publish, *control_, request, &reply));
    return node::Published{reply.added(), reply.seeded()};
  }

  absl::StatusOr<std::vector<refresh::Publication>> Publications() override {
    v1::ListPublicationsReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::ListPublications, *control_, {}, &reply));
    std::vector<refresh::Publication> publications;
    for (const v1::Publication& told : reply.publications()) {
      ASSIGN_OR_RETURN(refresh::Publication publication, FromWire(told));
      publications.push_back(std::move(publication));
    }
    return publications;
  }

  absl::Status Withdraw(uint64_t id) override {
    v1::WithdrawPublicationRequest request;
    request.set_id(id);
    v1::WithdrawPublicationReply reply;
    return Call(&v1::Control::Stub::WithdrawPublication, *control_, request, &reply);
  }

  absl::Status AddSeeds(const std::vector<std::string>& urls) override {
    v1::AddSeedsRequest request;
    for (const std::string& url : urls) request.add_urls(url);
    v1::AddSeedsReply reply;
    return Call(&v1::Control::Stub::AddSeeds, *control_, request, &reply);
  }

  absl::Status BeginCrawl(const node::CrawlOrder& order) override {
    v1::BeginCrawlRequest request;
    ToWire(order, &request);
    v1::BeginCrawlReply reply;
    return Call(&v1::Control::Stub::BeginCrawl, *control_, request, &reply);
  }

  absl::StatusOr<ledger::LostChannel> DeclareLost(const node::Loss& loss) override {
    v1::DeclareLostRequest request;
    request.set_node(loss.peer.value);
    request.set_generation(loss.generation);
    request.set_ask(loss.ask);
    v1::DeclareLostReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::DeclareLost, *control_, request, &reply));
    return FromWire(reply);
  }

  absl::StatusOr<node::CrawlOrder> Order() override {
    v1::BeginCrawlRequest reply;
    RETURN_IF_ERROR(
        Call(&v1::Control::Stub::CrawlOrder, *control_, v1::CrawlOrderRequest(), &reply));
    return FromWire(reply);
  }

  absl::Status PrepareRestating(uint64_t epoch) override {
    v1::PrepareRestatingRequest request;
    request.set_epoch(epoch);
    v1::PrepareRestatingReply reply;
    return Call(&v1::Audit::Stub::PrepareRestating, *audit_, request, &reply);
  }

  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t epoch, NodeId peer,
                                                      uint64_t part) override {
    v1::ClaimsRequest request;
    request.set_epoch(epoch);
    request.set_to(peer.value);
    request.set_part(part);
    v1::ClaimsReply reply;
    RETURN_IF_ERROR(Call(&v1::Audit::Stub::Claims, *audit_, request, &reply));
    ledger::Restating::Claims claims{{}, reply.last()};
    ASSIGN_OR_RETURN(claims.part, ledger::DecodeDrifts(reply.claims()));
    return claims;
  }

  absl::Status AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                         absl::Span<const ledger::Drift> claims) override {
    v1::AddClaimsRequest request;
    request.set_epoch(epoch);
    request.set_from(from.value);
    request.set_part(part);
    request.set_claims(ledger::Encode(claims));
    v1::AddClaimsReply reply;
    return Call(&v1::Audit::Stub::AddClaims, *audit_, request, &reply);
  }

  absl::StatusOr<node::RestatedPart> EndRestating(const node::RestatementEnd& end) override {
    v1::EndRestatingRequest request;
    request.set_epoch(end.epoch);
    request.set_correct(end.correct);
    request.set_pages_per_second(end.per_second);
    request.set_forget(end.forget);
    for (const auto& [peer, sealed] : end.sealed) (*request.mutable_sealed())[peer.value] = sealed;
    v1::EndRestatingReply reply;
    RETURN_IF_ERROR(Call(&v1::Audit::Stub::EndRestating, *audit_, request, &reply));
    return FromWire(reply);
  }

  absl::StatusOr<node::MendedEpoch> MendEpoch() override {
    v1::MendEpochReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::MendEpoch, *control_, v1::MendEpochRequest(), &reply));
    return node::MendedEpoch{reply.before(), reply.batches()};
  }

  absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to) override {
    v1::MoveShardsRequest request;
    ToWire(MoveOrder{shards, to}, &request);
    v1::MoveShardsReply reply;
    return Call(&v1::Control::Stub::MoveShards, *control_, request, &reply);
  }

  absl::StatusOr<std::vector<node::ShardStatus>> Shards() override {
    v1::ShardsReply reply;
    RETURN_IF_ERROR(Call(&v1::Control::Stub::Shards, *control_, v1::ShardsRequest(), &reply));
    return FromWire(reply);
  }

  absl::Status StopNode() override {
    v1::StopReply reply;
    return Call(&v1::Control::Stub::Stop, *control_, v1::StopRequest(), &reply);
  }

  absl::StatusOr<node::ExportedRows> ReadExport(const node::ExportPosition& position) override {
    v1::ReadExportRequest request;
    ToWire(position, &request);
    v1::ReadExportReply reply;
    RETURN_IF_ERROR(Call(&v1::Export::Stub::Read, *export_, request, &reply));
    return FromWire(reply);
  }

  absl::StatusOr<scheduler::SchedulerStatus> SchedulerStatus() override {
    v1::SchedulerStatus reply;
    RETURN_IF_ERROR(
        Call(&v1::PageScheduler::Stub::Status, *scheduler_, v1::SchedulerStatusRequest(), &reply));
    scheduler::SchedulerStatus status;
    status.queued = reply.queued();
    status.withheld = reply.withheld();
    status.queued_on_disk = reply.queued_on_disk();
    status.in_flight = reply.in_flight();
    status.hosts = reply.hosts();
    status.hosts_ready = reply.hosts_ready();
    status.hosts_given_up = reply.hosts_given_up();
    status.orders = reply.orders();
    status.outcomes = reply.outcomes();
    status.transient = reply.transient();
    status.postponed = reply.postponed();
    status.exhausted = reply.exhausted();
    status.pages_per_s_max = reply.pages_per_s();
    status.delay = absl::Microseconds(reply.delay_us());
    status.rate_was_set = reply.rate_was_set();
    status.delay_was_set = reply.delay_was_set();
    status.idle_reason = reply.idle_reason();
    return status;
  }

  absl::StatusOr<scheduler::HostExplanation> ExplainHost(const std::string& host) override {
    v1::ExplainHostRequest request;
    request.set_host(host);
    v1::HostExplanation reply;
    RETURN_IF_ERROR(Call(&v1::PageScheduler::Stub::ExplainHost, *scheduler_, request, &reply));
    scheduler::HostExplanation explanation;
    explanation.known = reply.known();
    explanation.queued = reply.queued();
    explanation.in_flight = reply.in_flight();
    explanation.next_allowed = absl::FromUnixMicros(reply.next_allowed_us());
    explanation.delay = absl::Microseconds(reply.delay_us());
    explanation.failures = reply.failures();
    explanation.given_up = reply.given_up();
    explanation.address = reply.address();
    explanation.reason = reply.reason();
    return explanation;
  }

  absl::StatusOr<scheduler::WaitingReport> ExplainWaiting() override {
    v1::ExplainWaitingReply reply;
    RETURN_IF_ERROR(Call(&v1::PageScheduler::Stub::ExplainWaiting, *scheduler_, {}, &reply));
    return FromWire(reply);
  }

  absl::Status SetBudget(double pages_per_s, absl::Duration delay) override {
    v1::SetBudgetRequest request;
    if (pages_per_s >= 0) request.set_pages_per_s(pages_per_s);
    if (delay >= absl::ZeroDuration()) request.set_delay_us(absl::ToInt64Microseconds(delay));
    v1::SetBudgetReply reply;
    return Call(&v1::PageScheduler::Stub::SetBudget, *scheduler_, request, &reply);
  }

 private:
  // With answers that take a walk of all rows.
  absl::Duration ScanPatience() const {
    return options_.scan_patience > absl::ZeroDuration() ? options_.scan_patience
                                                         : options_.patience;
  }

  template <typename Stub, typename Request, typename Reply>
  absl::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
                    Stub& stub, const Request& request, Reply* reply) {
    return Call(method, stub, request, reply, options_.patience);
  }

  template <typename Stub, typename Request, typename Reply>
  absl::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
                    Stub& stub, const Request& request, Reply* reply, absl::Duration patience) {
    grpc::ClientContext context;
    ShowToken(options_.token, context);
    ShowUser(context);
    context.set_deadline(absl::ToChronoTime(absl::Now() + patience));
    absl::Status status = FromGrpc((stub.*method)(&context, request, reply));
    if (absl::IsUnimplemented(status) && status.message().empty()) {
      status = absl::UnimplementedError(
          "it has no such service: it is an opic-scheduler, or of an older release");
    }
    return base::WithContext(status, "asking the node at " + address_);
  }

  const std::string address_;
  const NodeClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Importance::Stub> importance_;
  std::unique_ptr<v1::Control::Stub> control_;
  std::unique_ptr<v1::Audit::Stub> audit_;
  std::unique_ptr<v1::Export::Stub> export_;
  std::unique_ptr<v1::PageScheduler::Stub> scheduler_;
};

}  // namespace

std::unique_ptr<NodeClient> NodeClient::To(const std::string& address,
                                           const NodeClientOptions& options) {
  return std::make_unique<GrpcNodeClient>(address, options);
}

}  // namespace opic::rpc

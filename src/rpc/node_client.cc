#include "rpc/node_client.h"

#include <algorithm>
#include <iterator>

#include "base/status_macros.h"
#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/export.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/audit_wire.h"
#include "rpc/control.h"
#include "rpc/export_wire.h"
#include "rpc/node_caller.h"
#include "rpc/restating_wire.h"
#include "rpc/sites_wire.h"
#include "rpc/status_wire.h"
#include "rpc/time_wire.h"
#include "rpc/top_wire.h"
#include "rpc/waiting_wire.h"
#include "rpc/watch_wire.h"

namespace opic::rpc {
namespace {

class GrpcNodeClient final : public NodeClient {
 public:
  GrpcNodeClient(const std::string& address, const NodeClientOptions& options)
      : caller_(address, options),
        importance_(v1::Importance::NewStub(caller_.channel())),
        control_(NewControlClient(caller_)),
        status_(v1::Control::NewStub(caller_.channel())),
        audit_(v1::Audit::NewStub(caller_.channel())),
        export_(v1::Export::NewStub(caller_.channel())),
        scheduler_(v1::PageScheduler::NewStub(caller_.channel())) {}

  node::Control& control() override { return *control_; }

  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    v1::BatchGetRequest request;
    for (const std::string& url : urls) request.add_urls(url);
    request.set_local_only(caller_.options().local_only);
    ASSIGN_OR_RETURN(const v1::BatchGetResponse reply,
                     caller_.Ask(*importance_, &v1::Importance::Stub::BatchGet, request));
    std::vector<node::PageImportance> pages;
    for (const v1::PageImportance& page : reply.pages()) {
      if (!page.error().empty()) return absl::InvalidArgumentError(page.error());
      pages.push_back(FromWire(page));
    }
    return pages;
  }

  absl::StatusOr<node::PageExplanation> Explain(const std::string& url) override {
    v1::ExplainUrlRequest request;
    request.set_url(url);
    request.set_local_only(caller_.options().local_only);
    ASSIGN_OR_RETURN(const v1::ExplainUrlResponse reply,
                     caller_.Ask(*importance_, &v1::Importance::Stub::ExplainUrl, request));
    return FromWire(reply);
  }

  absl::StatusOr<TopPages> Top(const node::TopQuery& query) override {
    v1::TopRequest request;
    ASSIGN_OR_RETURN(const node::PageFilter filter, node::Checked(query.filter));
    if (!filter.empty()) ToWire(filter, request.mutable_filter());
    request.set_local_only(caller_.options().local_only);
    request.set_reply_bytes_max(TopPart::kBytesMax);
    std::vector<node::PageImportance> pages;
    while (true) {
      request.set_count(static_cast<uint32_t>(query.count - pages.size()));
      ASSIGN_OR_RETURN(const v1::TopResponse reply,
                       caller_.AskForScan(*importance_, &v1::Importance::Stub::Top, request));
      if (!filter.empty() && !reply.has_matching()) {
        return absl::UnimplementedError(
            "the node is of a release that cannot rank a part of its pages; update it");
      }
      TopPages top = FromWire(reply);
      std::move(top.pages.begin(), top.pages.end(), std::back_inserter(pages));
      if (reply.next_page_token().empty() || reply.pages().empty() || pages.size() >= query.count) {
        top.pages = std::move(pages);
        return top;
      }
      request.set_page_token(reply.next_page_token());
    }
  }

  absl::Status Watch(const WatchQuery& query,
                     const std::function<bool(const WatchChanges&)>& take) override {
    v1::WatchRequest request;
    ToWire(query, &request);
    request.set_local_only(caller_.options().local_only);
    return caller_.Read<v1::Importance::Stub, v1::WatchRequest, v1::WatchResponse>(
        *importance_, &v1::Importance::Stub::Watch, request,
        [&take](const v1::WatchResponse& reply) { return take(FromWire(reply)); });
  }

  absl::StatusOr<node::TopSites> Sites(const node::SitesQuery& query) override {
    v1::SitesRequest request;
    ToWire(query, &request);
    request.set_local_only(caller_.options().local_only);
    ASSIGN_OR_RETURN(const v1::SitesResponse reply,
                     caller_.AskForScan(*importance_, &v1::Importance::Stub::Sites, request));
    return FromWire(reply);
  }

  absl::StatusOr<node::Audit> TakeAudit() override {
    v1::TakeRequest request;
    request.set_local_only(caller_.options().local_only);
    ASSIGN_OR_RETURN(const v1::TakeResponse reply,
                     caller_.Ask(*audit_, &v1::Audit::Stub::Take, request));
    return FromWire(reply);
  }

  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override {
    v1::CutRequest request;
    request.set_epoch(epoch);
    ASSIGN_OR_RETURN(const v1::CutResponse reply,
                     caller_.Ask(*audit_, &v1::Audit::Stub::Cut, request));
    return FromWire(reply);
  }

  absl::StatusOr<node::NodeStats> Stats() override {
    v1::GetStatusRequest request;
    request.set_local_only(caller_.options().local_only);
    ASSIGN_OR_RETURN(const v1::GetStatusResponse reply,
                     caller_.Ask(*status_, &v1::Control::Stub::GetStatus, request));
    return FromWire(reply);
  }

  absl::Status PrepareRestating(uint64_t epoch) override {
    v1::PrepareRestatingRequest request;
    request.set_epoch(epoch);
    return caller_.Ask(*audit_, &v1::Audit::Stub::PrepareRestating, request).status();
  }

  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t epoch, NodeId peer,
                                                      uint64_t part) override {
    v1::ClaimsRequest request;
    request.set_epoch(epoch);
    request.set_to(peer.value);
    request.set_part(part);
    ASSIGN_OR_RETURN(const v1::ClaimsResponse reply,
                     caller_.Ask(*audit_, &v1::Audit::Stub::Claims, request));
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
    return caller_.Ask(*audit_, &v1::Audit::Stub::AddClaims, request).status();
  }

  absl::StatusOr<node::RestatedPart> EndRestating(const node::RestatementEnd& end) override {
    v1::EndRestatingRequest request;
    request.set_epoch(end.epoch);
    request.set_correct(end.correct);
    request.set_pages_per_second(end.per_second);
    request.set_forget(end.forget);
    for (const auto& [peer, sealed] : end.sealed) (*request.mutable_sealed())[peer.value] = sealed;
    ASSIGN_OR_RETURN(const v1::EndRestatingResponse reply,
                     caller_.Ask(*audit_, &v1::Audit::Stub::EndRestating, request));
    return FromWire(reply);
  }

  absl::StatusOr<node::ExportedRows> ReadExport(const node::ExportPosition& position) override {
    v1::ReadRequest request;
    ToWire(position, &request);
    ASSIGN_OR_RETURN(const v1::ReadResponse reply,
                     caller_.Ask(*export_, &v1::Export::Stub::Read, request));
    return FromWire(reply);
  }

  absl::StatusOr<scheduler::SchedulerStatus> SchedulerStatus() override {
    ASSIGN_OR_RETURN(const v1::PageSchedulerStatusResponse reply,
                     caller_.Ask(*scheduler_, &v1::PageScheduler::Stub::Status,
                                 v1::PageSchedulerStatusRequest()));
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
    status.delay = DurationOf(reply.delay());
    status.rate_was_set = reply.rate_was_set();
    status.delay_was_set = reply.delay_was_set();
    status.idle_reason = reply.idle_reason();
    return status;
  }

  absl::StatusOr<scheduler::HostExplanation> ExplainHost(const std::string& host) override {
    v1::ExplainHostRequest request;
    request.set_host(host);
    ASSIGN_OR_RETURN(const v1::ExplainHostResponse reply,
                     caller_.Ask(*scheduler_, &v1::PageScheduler::Stub::ExplainHost, request));
    return FromWire(reply);
  }

  absl::StatusOr<scheduler::WaitingReport> ExplainWaiting() override {
    ASSIGN_OR_RETURN(const v1::ExplainWaitingResponse reply,
                     caller_.Ask(*scheduler_, &v1::PageScheduler::Stub::ExplainWaiting, {}));
    return FromWire(reply);
  }

  absl::Status SetBudget(double pages_per_s, absl::Duration delay) override {
    v1::SetBudgetRequest request;
    if (pages_per_s >= 0) request.set_pages_per_s(pages_per_s);
    if (delay >= absl::ZeroDuration()) *request.mutable_delay() = WireDuration(delay);
    return caller_.Ask(*scheduler_, &v1::PageScheduler::Stub::SetBudget, request).status();
  }

 private:
  const NodeCaller caller_;
  std::unique_ptr<v1::Importance::Stub> importance_;
  std::unique_ptr<node::Control> control_;
  std::unique_ptr<v1::Control::Stub> status_;
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

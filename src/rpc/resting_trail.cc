#include "rpc/resting_trail.h"

#include "base/status_macros.h"
#include "opic/v1/control.pb.h"
#include "rpc/gate.h"
#include "rpc/host_rules_wire.h"
#include "rpc/noted_call.h"
#include "rpc/refresh_wire.h"

namespace opic::rpc {

absl::StatusOr<RestingTrail> RestingTrail::Open(const node::DataFolder& folder) {
  ASSIGN_OR_RETURN(std::unique_ptr<node::AuditTrail> trail,
                   node::AuditTrail::Open(folder.audit_trail(), {}, /*store=*/nullptr));
  return RestingTrail(std::move(trail));
}

void RestingTrail::Published(const refresh::Publication& publication) {
  v1::PublishRequest request;
  ToWire(publication, request.mutable_publication());
  Note("Publish", request);
}

void RestingTrail::Withdrawn(uint64_t publication) {
  v1::WithdrawPublicationRequest request;
  request.set_id(publication);
  Note("WithdrawPublication", request);
}

void RestingTrail::HostsTuned(const std::vector<node::HostChange>& changes) {
  v1::TuneHostsRequest request;
  ToWire(changes, &request);
  Note("TuneHosts", request);
}

// Whoever may write the folder is its operator.
void RestingTrail::Note(const std::string& call, const google::protobuf::Message& request) {
  NoteCall(trail_.get(), {Role::kOperator, "folder", UserOfThisProcess(), "at rest"}, call, request,
           absl::OkStatus());
}

}  // namespace opic::rpc

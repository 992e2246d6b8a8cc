#include "rpc/service_names.h"

#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/export.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "opic/v1/peer.grpc.pb.h"
#include "opic/v1/scheduler.grpc.pb.h"

namespace opic::rpc {
namespace {

// gRPC tells nobody the name of a service that it has.
template <typename Known>
void AddName(const grpc::Service* service, std::vector<std::string>& names) {
  if (dynamic_cast<const typename Known::Service*>(service) != nullptr)
    names.emplace_back(Known::service_full_name());
}

template <typename... Known>
void AddNames(const grpc::Service* service, std::vector<std::string>& names) {
  (AddName<Known>(service, names), ...);
}

}  // namespace

std::vector<std::string> NamesOf(const std::vector<grpc::Service*>& services) {
  std::vector<std::string> names;
  for (const grpc::Service* service : services) {
    AddNames<v1::Audit, v1::Control, v1::Export, v1::Importance, v1::PageScheduler, v1::Peers>(
        service, names);
  }
  return names;
}

}  // namespace opic::rpc

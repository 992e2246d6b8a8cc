// The audit trail of a folder that no process uses: what a command has changed there has its line,
// too, the same as from the RPC of that name.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "node/audit_trail.h"
#include "node/data_folder.h"
#include "node/host_rule_book.h"
#include "refresh/publication.h"

namespace google::protobuf {
class Message;
}

namespace opic::rpc {

class RestingTrail {
 public:
  static absl::StatusOr<RestingTrail> Open(const node::DataFolder& folder);

  // What was changed just now.
  void Published(const refresh::Publication& publication);
  void Withdrawn(uint64_t publication);
  void HostsTuned(const std::vector<node::HostChange>& changes);

 private:
  explicit RestingTrail(std::unique_ptr<node::AuditTrail> trail) : trail_(std::move(trail)) {}
  void Note(const std::string& call, const google::protobuf::Message& request);

  std::unique_ptr<node::AuditTrail> trail_;
};

}  // namespace opic::rpc

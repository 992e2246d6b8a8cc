#include "rpc/noted_call.h"

#include <google/protobuf/util/json_util.h>

#include "absl/time/clock.h"

namespace opic::rpc {

void NoteCall(node::AuditTrail* trail, const Caller& caller, const std::string& call,
              const google::protobuf::Message& request, const absl::Status& result,
              bool in_passing) {
  if (trail == nullptr) return;
  node::Act act{.at = absl::Now(),
                .name = call,
                .role = Name(caller.role),
                .holder = caller.name,
                .user = caller.user,
                .address = caller.address,
                .result = result,
                .request = caller.request,
                .in_passing = in_passing};
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!google::protobuf::util::MessageToJsonString(request, &act.what, options).ok())
    act.what.clear();
  trail->Append(act, InWords(caller));
}

}  // namespace opic::rpc

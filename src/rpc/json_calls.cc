#include "rpc/json_calls.h"

#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "opic/v1/audit.pb.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/export.pb.h"
#include "opic/v1/importance.pb.h"
#include "opic/v1/scheduler.pb.h"
#include "rpc/json_messages.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

namespace protobuf = google::protobuf;
// The files of the services, by a message of each.
std::vector<const protobuf::FileDescriptor*> Files() {
  return {v1::TopRequest::descriptor()->file(), v1::StatusRequest::descriptor()->file(),
          v1::AuditRequest::descriptor()->file(), v1::ReadExportRequest::descriptor()->file(),
          v1::SchedulerStatusRequest::descriptor()->file()};
}

absl::StatusOr<std::string> BytesOf(const grpc::ByteBuffer& reply) {
  std::vector<grpc::Slice> slices;
  if (!reply.Dump(&slices).ok()) return absl::InternalError("a reply that cannot be read");
  std::string binary;
  for (const grpc::Slice& slice : slices)
    binary.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return binary;
}

absl::StatusOr<std::string> ToJson(const JsonMessages& messages, const protobuf::Descriptor& type,
                                   const grpc::ByteBuffer& reply) {
  ASSIGN_OR_RETURN(const std::string binary, BytesOf(reply));
  return messages.ToJson(type, binary);
}

// gRPC aborts on a value that may not stand in a header.
bool MayBeHeader(const std::string& value) {
  return std::all_of(value.begin(), value.end(), absl::ascii_isprint);
}

struct Call {
  std::shared_ptr<grpc::Channel> channel;
  grpc::ClientContext context;
  grpc::ByteBuffer request, reply;
};

}  // namespace

JsonCalls::JsonCalls(std::shared_ptr<grpc::Channel> channel)
    : channel_(std::move(channel)), messages_(std::make_shared<JsonMessages>()) {
  for (const protobuf::FileDescriptor* file : Files()) {
    for (int s = 0; s < file->service_count(); ++s) {
      const protobuf::ServiceDescriptor* service = file->service(s);
      for (int m = 0; m < service->method_count(); ++m) {
        const protobuf::MethodDescriptor* method = service->method(m);
        if (method->client_streaming() || method->server_streaming()) continue;
        const bool safe =
            method->options().idempotency_level() == protobuf::MethodOptions::NO_SIDE_EFFECTS;
        methods_[absl::StrCat("/", service->full_name(), "/", method->name())] = {method, safe};
      }
    }
  }
}

JsonCalls::~JsonCalls() = default;

const JsonCalls::Method* JsonCalls::Find(const std::string& path) const {
  const auto found = methods_.find(path);
  return found == methods_.end() ? nullptr : &found->second;
}

std::function<void()> JsonCalls::Ask(const Method& method, const JsonQuestion& question,
                                     std::function<void(Ended)> ended) {
  const absl::StatusOr<std::string> binary =
      messages_->ToBinary(*method.type->input_type(), question.json);
  absl::Status may = binary.status();
  if (!MayBeHeader(question.authorization))
    may = absl::InvalidArgumentError("Authorization: not printable ASCII");
  if (!may.ok()) {
    ended({may, nullptr});
    return [] {};
  }
  const auto call = std::make_shared<Call>();
  call->channel = channel_;
  const grpc::Slice slice(*binary);
  call->request = grpc::ByteBuffer(&slice, 1);
  call->context.set_deadline(absl::ToChronoTime(absl::Now() + question.patience));
  if (!question.authorization.empty())
    call->context.AddMetadata("authorization", question.authorization);
  const std::string path =
      absl::StrCat("/", method.type->service()->full_name(), "/", method.type->name());
  grpc::GenericStub(channel_).UnaryCall(
      &call->context, path, grpc::StubOptions(), &call->request, &call->reply,
      [call, messages = messages_, type = method.type->output_type(),
       ended = std::move(ended)](const grpc::Status& status) {
        // The call itself is over with its context, which may be used no longer than this.
        ended({FromGrpc(status),
               [reply = call->reply, messages, type] { return ToJson(*messages, *type, reply); }});
      });
  return [weak = std::weak_ptr<Call>(call)] {
    if (const std::shared_ptr<Call> still = weak.lock()) still->context.TryCancel();
  };
}

}  // namespace opic::rpc

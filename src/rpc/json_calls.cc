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
#include "rpc/json_stream.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

namespace protobuf = google::protobuf;
// The files of the services, by a message of each.
std::vector<const protobuf::FileDescriptor*> Files() {
  return {v1::TopRequest::descriptor()->file(), v1::GetStatusRequest::descriptor()->file(),
          v1::TakeRequest::descriptor()->file(), v1::ReadRequest::descriptor()->file(),
          v1::PageSchedulerStatusRequest::descriptor()->file()};
}

absl::StatusOr<std::string> BytesOfReply(const grpc::ByteBuffer& reply) {
  std::vector<grpc::Slice> slices;
  if (!reply.Dump(&slices).ok()) return absl::InternalError("a reply that cannot be read");
  std::string binary;
  for (const grpc::Slice& slice : slices)
    binary.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return binary;
}

absl::StatusOr<std::string> ToJson(const JsonMessages& messages, const protobuf::Descriptor& type,
                                   const grpc::ByteBuffer& reply) {
  ASSIGN_OR_RETURN(const std::string binary, BytesOfReply(reply));
  return messages.ToJson(type, binary);
}

// gRPC aborts on a value that may not stand in a header.
bool MayBeHeader(const std::string& value) {
  return std::all_of(value.begin(), value.end(), absl::ascii_isprint);
}

std::string PathOf(const protobuf::MethodDescriptor& method) {
  return absl::StrCat("/", method.service()->full_name(), "/", method.name());
}

void Prepare(grpc::ClientContext& context, const JsonQuestion& question) {
  if (question.patience < absl::InfiniteDuration())
    context.set_deadline(absl::ToChronoTime(absl::Now() + question.patience));
  if (!question.authorization.empty()) context.AddMetadata("authorization", question.authorization);
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
        if (method->client_streaming()) continue;
        const bool safe =
            method->options().idempotency_level() == protobuf::MethodOptions::NO_SIDE_EFFECTS;
        methods_[PathOf(*method)] = {method, safe, method->server_streaming()};
      }
    }
  }
}

JsonCalls::~JsonCalls() = default;

const JsonCalls::Method* JsonCalls::Find(const std::string& path) const {
  const auto found = methods_.find(path);
  return found == methods_.end() ? nullptr : &found->second;
}

absl::StatusOr<std::string> JsonCalls::BinaryOf(const Method& method,
                                                const JsonQuestion& question) const {
  if (!MayBeHeader(question.authorization))
    return absl::InvalidArgumentError("Authorization: not printable ASCII");
  return messages_->ToBinary(*method.type->input_type(), question.json);
}

absl::StatusOr<std::shared_ptr<JsonStream>> JsonCalls::Follow(const Method& method,
                                                              const JsonQuestion& question,
                                                              Listener listener) {
  ASSIGN_OR_RETURN(const std::string binary, BinaryOf(method, question));
  auto context = std::make_unique<grpc::ClientContext>();
  Prepare(*context, question);
  JsonStream::Listener raw;
  raw.reply = [messages = messages_, type = method.type->output_type(),
               reply = std::move(listener.reply)](const grpc::ByteBuffer& message) {
    reply(ToJson(*messages, *type, message));
  };
  raw.ended = std::move(listener.ended);
  return JsonStream::Begin(channel_, PathOf(*method.type), std::move(context), binary,
                           std::move(raw));
}

std::function<void()> JsonCalls::Ask(const Method& method, const JsonQuestion& question,
                                     std::function<void(Ended)> ended) {
  const absl::StatusOr<std::string> binary = BinaryOf(method, question);
  if (!binary.ok()) {
    ended({binary.status(), nullptr});
    return [] {};
  }
  const auto call = std::make_shared<Call>();
  call->channel = channel_;
  const grpc::Slice slice(*binary);
  call->request = grpc::ByteBuffer(&slice, 1);
  Prepare(call->context, question);
  grpc::GenericStub(channel_).UnaryCall(
      &call->context, PathOf(*method.type), grpc::StubOptions(), &call->request, &call->reply,
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

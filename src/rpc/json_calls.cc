#include "rpc/json_calls.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
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
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

namespace protobuf = google::protobuf;
using Types = std::shared_ptr<protobuf::util::TypeResolver>;

constexpr char kTypes[] = "type.googleapis.com";

std::string UrlOf(const protobuf::Descriptor* type) {
  return absl::StrCat(kTypes, "/", type->full_name());
}

// The files of the services, by a message of each.
std::vector<const protobuf::FileDescriptor*> Files() {
  return {v1::TopRequest::descriptor()->file(), v1::StatusRequest::descriptor()->file(),
          v1::AuditRequest::descriptor()->file(), v1::ReadExportRequest::descriptor()->file(),
          v1::SchedulerStatusRequest::descriptor()->file()};
}

// The parser lets some through that are no objects.
absl::StatusOr<std::string> ToBinary(const Types& types, const protobuf::Descriptor* type,
                                     const std::string& json) {
  const auto begin = std::find_if_not(json.begin(), json.end(), absl::ascii_isspace);
  if (begin == json.end() || *begin != '{')
    return absl::InvalidArgumentError("the question is not a JSON object, such as {}");
  std::string binary;
  const auto read = protobuf::util::JsonToBinaryString(types.get(), UrlOf(type), json, &binary);
  if (read.ok()) return binary;
  return absl::InvalidArgumentError(
      absl::StrCat("the question is not JSON of a ", type->name(), ": ",
                   std::string(read.message().data(), read.message().size())));
}

absl::StatusOr<std::string> ToJson(const Types& types, const protobuf::Descriptor* type,
                                   const grpc::ByteBuffer& reply) {
  std::vector<grpc::Slice> slices;
  if (!reply.Dump(&slices).ok()) return absl::InternalError("a reply that cannot be read");
  std::string binary, json;
  for (const grpc::Slice& slice : slices)
    binary.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  const auto written =
      protobuf::util::BinaryToJsonString(types.get(), UrlOf(type), binary, &json, options);
  if (!written.ok()) return absl::InternalError("a reply that cannot be written as JSON");
  return json;
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
    : channel_(std::move(channel)),
      types_(protobuf::util::NewTypeResolverForDescriptorPool(
          kTypes, protobuf::DescriptorPool::generated_pool())) {
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
      ToBinary(types_, method.type->input_type(), question.json);
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
      [call, types = types_, type = method.type->output_type(),
       ended = std::move(ended)](const grpc::Status& status) {
        // The call itself is over with its context, which may be used no longer than this.
        ended({FromGrpc(status),
               [reply = call->reply, types, type] { return ToJson(types, type, reply); }});
      });
  return [weak = std::weak_ptr<Call>(call)] {
    if (const std::shared_ptr<Call> still = weak.lock()) still->context.TryCancel();
  };
}

}  // namespace opic::rpc

// opic-modules: gateway http rpc node base
// The input as a question over HTTP: who asks (Host, Origin, Authorization, each up to a zero
// byte), and the question itself, as the body of a POST or the argument of a GET, as JSON of one of
// the messages that the services take or give.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "gateway/connect.h"
#include "gateway/foreign_pages.h"
#include "opic/v1/audit.pb.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/export.pb.h"
#include "opic/v1/importance.pb.h"
#include "opic/v1/scheduler.pb.h"
#include "rpc/gate.h"
#include "rpc/json_messages.h"

namespace opic {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

// Of every call, what it takes and what it gives.
const std::vector<const Descriptor*>& Types() {
  static const auto& types = *[] {
    auto* all = new std::vector<const Descriptor*>();
    for (const auto* file :
         {v1::TopRequest::descriptor()->file(), v1::GetStatusRequest::descriptor()->file(),
          v1::TakeRequest::descriptor()->file(), v1::ReadRequest::descriptor()->file(),
          v1::PageSchedulerStatusRequest::descriptor()->file()}) {
      for (int m = 0; m < file->service(0)->method_count(); ++m) {
        all->push_back(file->service(0)->method(m)->input_type());
        all->push_back(file->service(0)->method(m)->output_type());
      }
    }
    return all;
  }();
  return types;
}

std::string Next(std::string_view& rest) {
  const size_t end = std::min(rest.find('\0'), rest.size());
  const std::string part(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::unique_ptr<Message> Parsed(const Descriptor& type, const std::string& binary) {
  std::unique_ptr<Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
  OPIC_CHECK(message->ParseFromString(binary));
  return message;
}

// What is taken is written as JSON that means the same.
void CheckQuestion(const rpc::JsonMessages& messages, const Descriptor& type,
                   const std::string& json) {
  const absl::StatusOr<std::string> binary = messages.ToBinary(type, json);
  OPIC_CHECK(binary.ok() || absl::IsInvalidArgument(binary.status()));
  if (!binary.ok()) return;
  const std::unique_ptr<Message> question = Parsed(type, *binary);
  const absl::StatusOr<std::string> written = messages.ToJson(type, question->SerializeAsString());
  OPIC_CHECK(written.ok());
  const absl::StatusOr<std::string> again = messages.ToBinary(type, *written);
  OPIC_CHECK(again.ok());
  google::protobuf::util::MessageDifferencer differencer;
  google::protobuf::util::DefaultFieldComparator numbers;
  numbers.set_treat_nan_as_equal(true);
  differencer.set_field_comparator(&numbers);
  OPIC_CHECK(differencer.Compare(*question, *Parsed(type, *again)));
}

}  // namespace
}  // namespace opic

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic;
  static const auto& messages = *new rpc::JsonMessages();
  static const auto& gate = *new rpc::Gate(false, {}, {{"reader-of-sixteen", rpc::Role::kReader}});
  if (size < 2) return 0;
  const bool get = (data[0] & 1) != 0, base64 = (data[0] & 2) != 0;
  const Descriptor& type = *Types()[data[1] % Types().size()];
  std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  http::Request request{.method = get ? "GET" : "POST", .path = "/"};
  for (const char* name : {"Host", "Origin", "Authorization"})
    request.headers.emplace_back(name, Next(rest));
  request.headers.emplace_back("Content-Type", "application/json");
  if (get) {
    request.arguments = {{"encoding", "json"}, {"message", std::string(rest)}};
    if (base64) request.arguments.emplace_back("base64", "1");
  } else {
    request.body = rest;
  }
  const absl::Status foreign = gateway::RefuseForeignPages(request, {"node-a"});
  if (!foreign.ok()) OPIC_CHECK(!gateway::ErrorAnswer(foreign).body.empty());
  const std::string shown = *request.Header("Authorization");
  OPIC_CHECK(gate.AdmitToken(shown).ok() == (shown == "Bearer reader-of-sixteen"));
  std::variant<gateway::Question, http::Answer> read = gateway::Read(std::move(request), true);
  if (const auto* question = std::get_if<gateway::Question>(&read))
    CheckQuestion(messages, type, question->json);
  return 0;
}

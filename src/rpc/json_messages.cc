#include "rpc/json_messages.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/utf8.h"

namespace opic::rpc {
namespace {

namespace protobuf = google::protobuf;

constexpr char kTypes[] = "type.googleapis.com";

std::string TypeUrlOf(const protobuf::Descriptor& type) {
  return absl::StrCat(kTypes, "/", type.full_name());
}

}  // namespace

JsonMessages::JsonMessages()
    : types_(protobuf::util::NewTypeResolverForDescriptorPool(
          kTypes, protobuf::DescriptorPool::generated_pool())) {}
JsonMessages::~JsonMessages() = default;

// The parser accepts some texts that are not objects.
absl::StatusOr<std::string> JsonMessages::ToBinary(const protobuf::Descriptor& type,
                                                   const std::string& json) const {
  const auto begin = std::find_if_not(json.begin(), json.end(), absl::ascii_isspace);
  if (begin == json.end() || *begin != '{')
    return absl::InvalidArgumentError("the question is not a JSON object, such as {}");
  std::string binary;
  const auto read =
      protobuf::util::JsonToBinaryString(types_.get(), TypeUrlOf(type), json, &binary);
  if (read.ok()) return binary;
  // It may repeat what was asked, of any length.
  const std::string_view why(read.message().data(), read.message().size());
  return absl::InvalidArgumentError(
      absl::StrCat("the question is not a valid ", type.name(),
                   " in JSON: ", base::PlainText(why, base::kQuotedBytesMax)));
}

absl::StatusOr<std::string> JsonMessages::ToJson(const protobuf::Descriptor& type,
                                                 const std::string& binary) const {
  protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto written =
      protobuf::util::BinaryToJsonString(types_.get(), TypeUrlOf(type), binary, &json, options);
  if (!written.ok()) return absl::InternalError("a reply that cannot be written as JSON");
  return json;
}

}  // namespace opic::rpc

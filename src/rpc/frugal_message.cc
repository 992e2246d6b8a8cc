#include "rpc/frugal_message.h"

#include <google/protobuf/message_lite.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/reason.h"
#include "base/status_macros.h"

namespace opic::rpc {
namespace {

constexpr size_t kOuterFieldsMax = 16;  // of a message that holds another one

enum WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Past one field, whose bytes are `value` if it has some. False: it is none. Groups, which nobody
// uses any more, are none.
bool Skip(base::Decoder& in, std::string_view* value) {
  switch (in.Varint() & 7) {
    case kVarint:
      in.Varint();
      break;
    case kFixed64:
      in.Raw(8);
      break;
    case kBytes:
      *value = in.Raw(in.Varint());
      break;
    case kFixed32:
      in.Raw(4);
      break;
    default:
      in.Fail();
  }
  return in.ok();
}

absl::Status NoMessage() { return absl::InvalidArgumentError("a message that cannot be read"); }

absl::Status CheckFields(std::string_view wire, size_t most) {
  if (CountFields(wire, most) <= most) return absl::OkStatus();
  return base::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                              "the message has more than ", most, " fields: send less at once")),
                          "REQUEST_TOO_LONG", {{"most_fields", absl::StrCat(most)}});
}

absl::Status CheckBytes(size_t bytes, size_t most) {
  if (bytes <= most) return absl::OkStatus();
  return base::WithReason(
      absl::ResourceExhaustedError(
          absl::StrCat("the message has ", bytes, " bytes; at most ", most, " are accepted")),
      "REQUEST_TOO_LONG", {{"most_bytes", absl::StrCat(most)}});
}

// REQUIRES: CheckBytes.
absl::StatusOr<std::string> BytesOf(const grpc::ByteBuffer& wire) {
  std::vector<grpc::Slice> slices;
  if (!wire.Dump(&slices).ok()) return NoMessage();
  std::string bytes;
  bytes.reserve(wire.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

absl::Status Parse(std::string_view wire, google::protobuf::MessageLite* message) {
  const bool read = message->ParseFromArray(wire.data(), static_cast<int>(wire.size()));
  return read ? absl::OkStatus() : NoMessage();
}

}  // namespace

size_t CountFields(std::string_view wire, size_t most) {
  base::Decoder in(wire);
  size_t fields = 0;
  std::string_view value;
  while (!in.rest().empty() && fields <= most && Skip(in, &value)) ++fields;
  return fields;
}

absl::Status ParseFrugally(const grpc::ByteBuffer& wire, size_t bytes_max, size_t fields_max,
                           google::protobuf::MessageLite* message) {
  RETURN_IF_ERROR(CheckBytes(wire.Length(), bytes_max));
  ASSIGN_OR_RETURN(const std::string bytes, BytesOf(wire));
  RETURN_IF_ERROR(CheckFields(bytes, fields_max));
  return Parse(bytes, message);
}

// A message that is given in parts is put together by the decoder: so there may be only few. What
// is no message, as bytes need not be, is counted to where it ends to be one.
absl::Status ParseNestedFrugally(std::string_view wire, size_t bytes_max, size_t fields_max,
                                 google::protobuf::MessageLite* message) {
  RETURN_IF_ERROR(CheckBytes(wire.size(), bytes_max));
  base::Decoder in(wire);
  RETURN_IF_ERROR(CheckFields(wire, kOuterFieldsMax));
  while (!in.rest().empty()) {
    std::string_view inner;
    if (!Skip(in, &inner)) return NoMessage();
    RETURN_IF_ERROR(CheckFields(inner, fields_max));
  }
  return Parse(wire, message);
}

absl::Status ParseNestedFrugally(const grpc::ByteBuffer& wire, size_t bytes_max, size_t fields_max,
                                 google::protobuf::MessageLite* message) {
  RETURN_IF_ERROR(CheckBytes(wire.Length(), bytes_max));
  ASSIGN_OR_RETURN(const std::string bytes, BytesOf(wire));
  return ParseNestedFrugally(bytes, bytes_max, fields_max, message);
}

grpc::ByteBuffer Serialize(const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace opic::rpc

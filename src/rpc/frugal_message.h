// Decoding of what may come from anybody: a message of a few megabytes can be a list of millions of
// empty strings, which take some fifty times as much when they are decoded. So its fields are
// counted first, on the wire.
//
// Thread safety: pure.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace google::protobuf {
class MessageLite;
}

namespace opic::rpc {

// How many fields stand in an encoded message one behind the other, not looking into them, counted
// up to `most` + 1, or to where it is no message any more: so far it would be decoded.
size_t CountFields(std::string_view wire, size_t most);

// ResourceExhausted: longer than `bytes_max`, or more than `fields_max` fields; InvalidArgument: no
// message of this kind.
absl::Status ParseFrugally(const grpc::ByteBuffer& wire, size_t bytes_max, size_t fields_max,
                           google::protobuf::MessageLite* message);
// The same with the fields of the one message that it holds counted, too.
absl::Status ParseNestedFrugally(const grpc::ByteBuffer& wire, size_t bytes_max, size_t fields_max,
                                 google::protobuf::MessageLite* message);
absl::Status ParseNestedFrugally(std::string_view wire, size_t bytes_max, size_t fields_max,
                                 google::protobuf::MessageLite* message);

grpc::ByteBuffer Serialize(const google::protobuf::MessageLite& message);

}  // namespace opic::rpc

// Messages of opic.v1 as JSON and back: Protobuf's own mapping
// (protobuf.dev/programming-guides/json). What is written has names in lowerCamelCase, 64-bit
// integers as strings, and fields with their default values, too. What is read may have any form of
// the mapping, but no unknown fields.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace google::protobuf {
class Descriptor;
namespace util {
class TypeResolver;
}
}  // namespace google::protobuf

namespace opic::rpc {

class JsonMessages {
 public:
  JsonMessages();
  ~JsonMessages();

  // InvalidArgument: `json` is not an object of this type.
  absl::StatusOr<std::string> ToBinary(const google::protobuf::Descriptor& type,
                                       const std::string& json) const;
  // Internal: `binary` is no message of this type.
  absl::StatusOr<std::string> ToJson(const google::protobuf::Descriptor& type,
                                     const std::string& binary) const;

 private:
  const std::unique_ptr<google::protobuf::util::TypeResolver> types_;
};

}  // namespace opic::rpc

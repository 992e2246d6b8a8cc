// Messages of opic.v1 as JSON and back: Protobuf's own mapping
// (protobuf.dev/programming-guides/json). In JSON that is written here names are in lowerCamelCase,
// 64-bit integers are strings, and fields that have their default are there, too; what is read may
// have any form that the mapping knows, but no unknown fields.
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

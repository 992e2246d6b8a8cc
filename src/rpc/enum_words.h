// The values of the enums in proto/opic/v1 as words: PAGE_STATE_OUT_OF_SCOPE is "out_of_scope", to
// people, in --json, and in the names that the modules below have.
//
// Thread safety: pure.
#pragma once

#include <google/protobuf/generated_enum_reflection.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace opic::rpc {

// Of an enum whose first value is ENUM_NAME_UNSPECIFIED. Empty: unspecified, or of a later release.
std::string WordOf(const google::protobuf::EnumDescriptor& type, int value);
// The unspecified one (0): there is none of this word.
int ValueOf(const google::protobuf::EnumDescriptor& type, std::string_view word);

template <typename Enum>
std::string WordOf(Enum value) {
  return WordOf(*google::protobuf::GetEnumDescriptor<Enum>(), value);
}
template <typename Enum>
Enum ValueOf(std::string_view word) {
  return static_cast<Enum>(ValueOf(*google::protobuf::GetEnumDescriptor<Enum>(), word));
}

// The word of a value that was told. Empty: it is unspecified. InvalidArgument, which calls it
// `field`: a value of a later release.
template <typename Enum>
absl::StatusOr<std::string> WordTold(std::string_view field, Enum value) {
  std::string told = WordOf(value);
  if (!told.empty() || value == Enum()) return told;
  return absl::InvalidArgumentError(std::string(field) + ": there is none with the number " +
                                    std::to_string(static_cast<int>(value)));
}

}  // namespace opic::rpc

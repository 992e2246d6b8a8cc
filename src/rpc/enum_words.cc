#include "rpc/enum_words.h"

#include <google/protobuf/descriptor.h>

#include "absl/strings/ascii.h"
#include "base/check.h"

namespace opic::rpc {
namespace {

constexpr std::string_view kUnspecified = "UNSPECIFIED";

// "PAGE_STATE_"
std::string PrefixOf(const google::protobuf::EnumDescriptor& type) {
  const std::string& first = type.value(0)->name();
  OPIC_CHECK(first.ends_with(kUnspecified));
  return first.substr(0, first.size() - kUnspecified.size());
}

}  // namespace

std::string WordOf(const google::protobuf::EnumDescriptor& type, int value) {
  const google::protobuf::EnumValueDescriptor* found = type.FindValueByNumber(value);
  if (value == 0 || found == nullptr) return "";
  return absl::AsciiStrToLower(found->name().substr(PrefixOf(type).size()));
}

int ValueOf(const google::protobuf::EnumDescriptor& type, std::string_view word) {
  for (int i = 0; i < type.value_count(); ++i) {
    const int value = type.value(i)->number();
    if (value != 0 && WordOf(type, value) == word) return value;
  }
  return 0;
}

}  // namespace opic::rpc

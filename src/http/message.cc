#include "http/message.h"

#include "absl/strings/match.h"

namespace opic::http {

const std::string* Request::Argument(const std::string& name) const {
  for (const auto& [key, value] : arguments) {
    if (key == name) return &value;
  }
  return nullptr;
}

const std::string* Request::Header(const std::string& name) const {
  for (const auto& [key, value] : headers) {
    if (absl::EqualsIgnoreCase(key, name)) return &value;
  }
  return nullptr;
}

}  // namespace opic::http

#include "base/reason.h"

#include "absl/strings/cord.h"
#include "base/check.h"
#include "base/encoding.h"

namespace opic::base {
namespace {

constexpr char kReason[] = "opic/reason";

}  // namespace

absl::Status WithReason(absl::Status error, std::string_view word,
                        std::map<std::string, std::string> facts) {
  OPIC_CHECK(!error.ok());
  std::string bytes;
  AppendBytes(bytes, word);
  for (const auto& [name, fact] : facts) {
    AppendBytes(bytes, name);
    AppendBytes(bytes, fact);
  }
  error.SetPayload(kReason, absl::Cord(bytes));
  return error;
}

std::optional<Reason> ReasonOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kReason);
  if (!payload) return std::nullopt;
  const std::string bytes(*payload);
  Decoder in(bytes);
  Reason reason;
  reason.word = in.Bytes();
  while (in.ok() && !in.rest().empty()) {
    std::string name(in.Bytes());
    reason.facts[std::move(name)] = in.Bytes();
  }
  return reason;
}

}  // namespace opic::base

#include "desk/robots_row.h"

#include <algorithm>

#include "base/encoding.h"

namespace opic::desk {
namespace {

// 0: reachable; 1: not, as releases wrote it that kept no cause; else 1 + the cause.
char ReachableByte(Failure unreachable) {
  return static_cast<char>(unreachable == Failure::kNone ? 0 : static_cast<int>(unreachable) + 1);
}

Failure UnreachableIn(int byte) {
  if (byte == 0) return Failure::kNone;
  return byte > 1 && byte <= kFailures ? static_cast<Failure>(byte - 1) : Failure::kOther;
}

}  // namespace

std::string EncodeRow(const robots::Robots& rules, Failure unreachable, absl::Time expires) {
  std::string out;
  base::AppendVarint(out, static_cast<uint64_t>(absl::ToUnixSeconds(expires)));
  out.push_back(ReachableByte(unreachable));
  out += rules.Encode();
  return out;
}

std::string EncodeFailures(int failures) {
  std::string out;
  base::AppendVarint(out, 0);
  out.push_back(static_cast<char>(std::min(failures, 255)));
  out += robots::Robots::DisallowAll().Encode();
  return out;
}

std::optional<int> FailuresIn(std::string_view row) {
  base::Decoder in(row);
  if (in.Varint() != 0) return std::nullopt;
  return static_cast<uint8_t>(in.Byte());
}

absl::Time ExpiryOf(std::string_view row) {
  base::Decoder in(row);
  return absl::FromUnixSeconds(static_cast<int64_t>(in.Varint()));
}

Failure UnreachableOf(std::string_view row) {
  base::Decoder in(row);
  in.Varint();
  return UnreachableIn(static_cast<uint8_t>(in.Byte()));
}

std::string_view RulesOf(std::string_view row) {
  base::Decoder in(row);
  in.Varint();
  in.Byte();
  return in.ok() ? in.rest() : std::string_view();
}

}  // namespace opic::desk

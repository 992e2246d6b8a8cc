// Values with a tail: the part at their end that changes often (Batch::ReplaceTail). The bytes:
// head, tail, length of the tail in 2 bytes, little-endian (docs/formats/store.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opic::store {

inline constexpr size_t kTailBytesMax = 65'535;

// `value` is the head; afterwards it is the whole. REQUIRES: at most kTailBytesMax bytes.
void AppendTail(std::string& value, std::string_view tail);

struct TailedValue {
  std::string_view head, tail;
};
// Views into `value`. Nothing: too short to have the tail that its end speaks of.
std::optional<TailedValue> SplitTail(std::string_view value);

}  // namespace opic::store

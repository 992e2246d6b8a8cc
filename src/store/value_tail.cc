#include "store/value_tail.h"

#include "base/check.h"

namespace opic::store {
namespace {

constexpr size_t kLengthBytes = 2;

size_t ByteAt(std::string_view value, size_t at) { return static_cast<unsigned char>(value[at]); }

}  // namespace

void AppendTail(std::string& value, std::string_view tail) {
  OPIC_CHECK(tail.size() <= kTailBytesMax) << "a tail of " << tail.size() << " bytes";
  value.append(tail);
  value.push_back(static_cast<char>(tail.size() & 0xff));
  value.push_back(static_cast<char>(tail.size() >> 8));
}

std::optional<TailedValue> SplitTail(std::string_view value) {
  if (value.size() < kLengthBytes) return std::nullopt;
  const size_t end = value.size() - kLengthBytes;
  const size_t length = ByteAt(value, end) | ByteAt(value, end + 1) << 8;
  if (length > end) return std::nullopt;
  return TailedValue{value.substr(0, end - length), value.substr(end - length, length)};
}

}  // namespace opic::store

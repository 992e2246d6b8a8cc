// opic-modules: archive base
// The first byte chooses the limit of the output, the rest is the packed bytes of a stranger. What
// gunzip makes is bounded, and the same at every limit as far as it goes.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "archive/gunzip.h"
#include "base/check.h"

namespace opic::archive {
namespace {

constexpr size_t kLimits[] = {0, 1, 100, 16 * 1024, 16 * 1024 + 1, 1 << 20};

// All that came out, of whole or broken bytes.
std::string Unpack(std::string_view bytes, size_t bytes_max, absl::Status* status) {
  std::string partial = "left from before";
  absl::StatusOr<std::string> whole = Gunzip(bytes, bytes_max, &partial);
  *status = whole.status();
  OPIC_CHECK(!whole.ok() || partial.empty());
  return whole.ok() ? *std::move(whole) : partial;
}

void CheckLimits(std::string_view bytes, size_t less) {
  absl::Status status, wide_status;
  const std::string out = Unpack(bytes, less, &status);
  OPIC_CHECK(out.size() <= less) << out.size();
  OPIC_CHECK(absl::IsInvalidArgument(status) == !IsGzip(bytes));
  const std::string wide = Unpack(bytes, less + 1000, &wide_status);
  OPIC_CHECK(wide.substr(0, less) == out) << "a limit changes what comes out";
  const bool full = absl::IsResourceExhausted(status);
  OPIC_CHECK(full == (wide.size() > less)) << status.ToString();
  OPIC_CHECK(full || status == wide_status) << status.ToString();
}

}  // namespace
}  // namespace opic::archive

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t limit = opic::archive::kLimits[data[0] % std::size(opic::archive::kLimits)];
  // A buffer of the exact size, so that a read beyond it is seen.
  const std::unique_ptr<char[]> exact(new char[size - 1]);
  std::copy(data + 1, data + size, exact.get());
  opic::archive::CheckLimits({exact.get(), size - 1}, limit);
  return 0;
}

#include "rpc/sum_wire.h"

#include <optional>

namespace opic::rpc {

absl::StatusOr<cash::Sum> SumOf(const std::string& text) {
  if (text.empty()) return 0;  // of an older program
  const std::optional<cash::Sum> sum = cash::ReadSum(text);
  if (sum) return *sum;
  return absl::InvalidArgumentError("\"" + text.substr(0, 60) + "\" is no sum of cash");
}

}  // namespace opic::rpc

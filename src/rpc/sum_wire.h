// Sums of cash on the wire: decimal digits, since they may pass 2^64. cash::ToString writes them.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cash/amount.h"

namespace opic::rpc {

// Empty, as older programs leave what they do not know: 0. InvalidArgument: no digits, or more than
// 38, so that sums of them cannot overflow.
absl::StatusOr<cash::Sum> SumOf(const std::string& text);

}  // namespace opic::rpc

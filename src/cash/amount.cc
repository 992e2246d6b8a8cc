#include "cash/amount.h"

#include <algorithm>

namespace opic::cash {

std::string ToString(Sum sum) {
  const auto units = static_cast<unsigned __int128>(sum);
  unsigned __int128 left = sum < 0 ? -units : units;
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(left % 10)));
    left /= 10;
  } while (left > 0);
  if (sum < 0) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<Sum> ReadSum(std::string_view text) {
  constexpr size_t kDigitsMax = 34;  // as 2^110 has; thousands of such sums add up to one
  const bool debt = text.starts_with('-');
  if (debt) text.remove_prefix(1);
  if (text.empty() || text.size() > kDigitsMax) return std::nullopt;
  Sum sum = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    sum = sum * 10 + (digit - '0');
  }
  return debt ? -sum : sum;
}

}  // namespace opic::cash

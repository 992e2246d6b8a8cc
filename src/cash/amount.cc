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

}  // namespace opic::cash

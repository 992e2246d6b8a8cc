#include "cash/amount.h"

#include <algorithm>

namespace opic::cash {

std::string ToString(Sum sum) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(sum % 10)));
    sum /= 10;
  } while (sum > 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace opic::cash

// Which factors a category may have.
#pragma once

#include "refresh/category.h"

namespace opic::refresh {

inline constexpr double kFactorMin = 1e-3;  // but for 0: due times are whole seconds

constexpr bool IsFactor(double number) {
  return number == 0 || (number >= kFactorMin && number <= kFactorMax);
}

}  // namespace opic::refresh

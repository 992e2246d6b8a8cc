// What a page's cell keeps of its cash: everything, or a sign and so many leading bits.
#pragma once

#include <bit>
#include <cstdint>

namespace opic::sim {

enum class Rounding : uint8_t {
  kExact,     // the cell holds 64 bits
  kUnbiased,  // up with probability remainder / step, so that the mean is what was added
  kDown,      // towards zero: what a cell without chance would do
};

struct PushCell {
  Rounding rounding = Rounding::kExact;
  // Bits behind the leading one, as cash::Cell counts them: amounts below 2^(mantissa_bits + 1) are
  // exact. 1 to 61.
  int mantissa_bits = 10;
};

// The amount that a cell keeps of `amount`; the sign stays. `draw` is uniform over 64 bits and
// decides what kUnbiased does.
inline int64_t Kept(const PushCell& cell, int64_t amount, uint64_t draw) {
  if (cell.rounding == Rounding::kExact) return amount;
  const uint64_t size = amount < 0 ? -static_cast<uint64_t>(amount) : static_cast<uint64_t>(amount);
  const int step_bits = static_cast<int>(std::bit_width(size)) - (cell.mantissa_bits + 1);
  if (step_bits <= 0) return amount;
  const uint64_t step = uint64_t{1} << step_bits, remainder = size & (step - 1);
  // draw / 2^64 < remainder / step, in integers.
  const bool up = cell.rounding == Rounding::kUnbiased && draw < remainder << (64 - step_bits);
  const auto kept = static_cast<int64_t>(size - remainder + (up ? step : 0));
  return amount < 0 ? -kept : kept;
}

}  // namespace opic::sim

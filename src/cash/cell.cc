#include "cash/cell.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/rng.h"

namespace opic::cash {

namespace {

constexpr int kMantissaBits = 10;

// log2 of the distance from `cell` to the next one.
int StepBits(Cell cell) { return std::max((cell.bits() >> kMantissaBits) - 1, 0); }

}  // namespace

Cell Cell::RoundDown(Amount amount) {
  const uint64_t units = amount.units();
  const int exponent = std::max(static_cast<int>(std::bit_width(units)) - kMantissaBits, 0);
  if (exponent == 0) return FromBits(static_cast<uint16_t>(units));
  const uint64_t mantissa = (units >> (exponent - 1)) - 1024;
  return FromBits(static_cast<uint16_t>(exponent << kMantissaBits | mantissa));
}

uint64_t RoundingDraw(uint64_t log_number, PageId page) {
  return base::Mix64(base::Mix64(log_number) + page.word());
}

Cell AddRounded(Cell old, Amount amount, uint64_t draw, Amount* reserve) {
  const Amount exact = old.value() + amount;
  OPIC_CHECK(exact <= kSupply) << "a page holds more than the supply: " << exact.units();
  const Cell down = Cell::RoundDown(exact);
  const Amount remainder = exact - down.value();
  if (remainder == Amount()) return down;
  const int step_bits = StepBits(down);  // at least 1: a step of one unit leaves no remainder
  const Amount missing = Amount(uint64_t{1} << step_bits) - remainder;
  // draw / 2^64 < remainder / step, in integers
  if (draw < remainder.units() << (64 - step_bits) && missing <= *reserve) {
    *reserve -= missing;
    return down.Next();
  }
  *reserve += remainder;
  return down;
}

}  // namespace opic::cash

// The compact cash cell: a 16-bit float of integers, exact up to 2,048, and a sign.
//
//   bit 16  debt     bits 15..10  exponent e (0 to 63)     bits 9..0  mantissa m
//   e == 0: magnitude m;   e >= 1: magnitude (1024 + m) << (e - 1)
//   so a cell can hold more than the whole supply; with the debt bit its value is -magnitude
//
// Bits 15..0 order as magnitudes do. A magnitude of 64 bits needs e <= 54; larger exponents are
// never written and have no value, and neither is a debt of zero. A step is at most 1/1024 of the
// magnitude.
//
// Adding what does not fit is rounded without bias: away from zero with probability remainder/step.
// The draw is a hash of the log number and the page's id, so a replay gives the same cells. The
// difference is the caller's to book on the virtual page's exact account.
//
// Thread safety: values; const members may be called from any thread.
#pragma once

#include <bit>
#include <cstdint>

#include "base/check.h"
#include "base/ids.h"
#include "base/rng.h"
#include "cash/amount.h"

namespace opic::cash {

// Immutable value; 17 bits of it are stored.
class Cell {
 public:
  static constexpr int kBits = 17;

  Cell() = default;
  // REQUIRES: IsValid(bits).
  static constexpr Cell FromBits(uint32_t bits) { return Cell(bits); }
  // Whether a cell can have been written so.
  static constexpr bool IsValid(uint32_t bits) {
    return (bits & kMagnitude) < kMagnitudesEnd && bits != kDebt && bits >> kBits == 0;
  }
  constexpr uint32_t bits() const { return bits_; }
  constexpr bool in_debt() const { return (bits_ & kDebt) != 0; }
  constexpr Amount value() const {
    const uint32_t exponent = bits_ >> 10 & 63, mantissa = bits_ & 1023;
    const uint32_t leading = exponent != 0;
    const auto units =
        static_cast<int64_t>(uint64_t{leading << 10 | mantissa} << (exponent - leading));
    const int64_t sign = -static_cast<int64_t>(bits_ >> 16 & 1);
    return Amount((units ^ sign) - sign);
  }
  // The cell nearest to `amount` whose magnitude is not larger.
  static Cell TowardsZero(Amount amount);
  // The next cell away from zero. REQUIRES: its magnitude is below kHoldingMax.
  Cell Next() const { return Cell(bits_ + 1); }
  friend constexpr bool operator==(Cell, Cell) = default;

 private:
  static constexpr uint32_t kMagnitude = 0xffff, kDebt = 0x10000;
  static constexpr uint32_t kMagnitudesEnd = 54 << 10;  // of 63 bits; the ones above have no value

  constexpr explicit Cell(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

// A uniform 64-bit draw for rounding the cash of `page` in journal record `log_number`.
inline uint64_t RoundingDraw(uint64_t log_number, PageId page) {
  return base::Mix64(base::Mix64(log_number) + page.word());
}

// cell + amount, rounded away from zero when draw/2^64 < remainder/step, and towards it otherwise,
// or when `*reserve` is smaller than what the other takes from it. Books the difference:
//   old.value() + amount + old reserve == result.value() + new reserve.
// REQUIRES: the magnitude of old.value() + amount is at most kHoldingMax; more on one page is cash
// from nowhere and ends the process.
Cell AddRounded(Cell old, Amount amount, uint64_t draw, Amount* reserve);

// How many low bits of a magnitude a cell leaves out: all below the highest eleven.
inline int LowBits(uint64_t units) { return static_cast<int>(std::bit_width(units | 1024)) - 11; }

// Inline, and without branches where chance decides: a crawl pays more credits than it does
// anything else.
inline Cell Cell::TowardsZero(Amount amount) {
  const uint64_t units = amount.magnitude();
  const uint32_t debt = amount.units() < 0 ? kDebt : 0;
  // The mantissa's leading 1 counts as one more exponent: low << 10 | 1024 + m == (low + 1) << 10 |
  // m.
  const int low = LowBits(units);
  return Cell(static_cast<uint32_t>((low << 10) + (units >> low)) | debt);
}

inline Cell AddRounded(Cell old, Amount amount, uint64_t draw, Amount* reserve) {
  const Amount exact = old.value() + amount;
  const uint64_t units = exact.magnitude();
  OPIC_CHECK(units <= kHoldingMax.magnitude())
      << "a page holds or owes more than there can be: " << exact.units();
  const int64_t sign = exact.units() >> 63;  // 0 or -1; (x ^ sign) - sign gives x that sign
  const int low = LowBits(units);
  const uint64_t step = uint64_t{1} << low;
  const uint64_t remainder = units & (step - 1);
  // draw / 2^64 < remainder / step, in integers; a step of one unit leaves no remainder.
  const bool lucky = draw < remainder << ((64 - low) & 63);
  const int64_t taken = static_cast<int64_t>(step - remainder);  // by rounding away from zero
  const uint64_t away = lucky & (taken <= reserve->units());
  const int64_t left = static_cast<int64_t>(remainder - (step & (0 - away)));
  *reserve += Amount((left ^ sign) - sign);
  return Cell::FromBits(Cell::TowardsZero(exact).bits() + static_cast<uint32_t>(away));
}

}  // namespace opic::cash

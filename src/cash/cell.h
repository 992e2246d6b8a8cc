// The compact cash cell: a 16-bit float of integers, exact up to 2,048 (DESIGN section 4).
//
//   bits 15..10  exponent e (0 to 63)     bits 9..0  mantissa m
//   e == 0: value m;   e >= 1: value (1024 + m) << (e - 1)      so a cell can hold more than the
//   whole supply
//
// Bits order as values do. An amount of 64 bits needs e <= 54; larger exponents are never written
// and have no value. A step is at most 1/1024 of the value.
//
// Adding what does not fit is rounded without bias: up with probability remainder/step. The draw is
// a hash of the log number and the page's id, so a replay gives the same cells. The difference is
// the caller's to book on the virtual page's exact account.
#pragma once

#include <bit>
#include <cstdint>

#include "base/check.h"
#include "base/ids.h"
#include "base/rng.h"
#include "cash/amount.h"

namespace opic::cash {

// Immutable value, 2 bytes.
class Cell {
 public:
  Cell() = default;
  static constexpr Cell FromBits(uint16_t bits) { return Cell(bits); }
  constexpr uint16_t bits() const { return bits_; }
  constexpr Amount value() const {
    const uint64_t exponent = bits_ >> 10, mantissa = bits_ & 1023;
    return Amount(exponent == 0 ? mantissa : (1024 + mantissa) << (exponent - 1));
  }
  // The largest cell whose value is at most `amount`.
  static Cell RoundDown(Amount amount);
  // The next larger cell; REQUIRES: value() < kSupply.
  Cell Next() const { return Cell(static_cast<uint16_t>(bits_ + 1)); }
  friend constexpr bool operator==(Cell, Cell) = default;
  friend constexpr auto operator<=>(Cell, Cell) = default;  // as the values do

 private:
  constexpr explicit Cell(uint16_t bits) : bits_(bits) {}
  uint16_t bits_ = 0;
};

// A uniform 64-bit draw for rounding the cash of `page` in journal record `log_number`.
inline uint64_t RoundingDraw(uint64_t log_number, PageId page) {
  return base::Mix64(base::Mix64(log_number) + page.word());
}

// cell + amount, rounded up when draw/2^64 < remainder/step, and down otherwise or when `*reserve`
// is smaller than what rounding up takes. Books the difference: rounding up takes from `*reserve`,
// down adds to it, so that  old.value() + amount + old reserve == result.value() + new reserve.
// REQUIRES: old.value() + amount <= kSupply; more on one page is cash from nowhere and ends the
// process.
Cell AddRounded(Cell old, Amount amount, uint64_t draw, Amount* reserve);

// Inline, and without branches where chance decides: a crawl pays more credits than it does
// anything else.
inline Cell Cell::RoundDown(Amount amount) {
  const uint64_t units = amount.units();
  const int above = static_cast<int>(std::bit_width(units)) - 10;
  if (above <= 0) return FromBits(static_cast<uint16_t>(units));
  // The mantissa's leading 1 counts as one more exponent: (above - 1) << 10 | 1024 + m == above <<
  // 10 | m.
  return FromBits(static_cast<uint16_t>((above - 1) * 1024 + (units >> (above - 1))));
}

inline Cell AddRounded(Cell old, Amount amount, uint64_t draw, Amount* reserve) {
  const Amount exact = old.value() + amount;
  OPIC_CHECK(exact <= kSupply) << "a page holds more than the supply: " << exact.units();
  const Cell down = Cell::RoundDown(exact);
  const uint64_t remainder = exact.units() - down.value().units();
  const int exponent = down.bits() >> 10;
  const int step_bits = exponent - (exponent > 0);
  const uint64_t step = uint64_t{1} << step_bits;
  // draw / 2^64 < remainder / step, in integers; a step of one unit leaves no remainder.
  const bool lucky = draw < remainder << ((64 - step_bits) & 63);
  const uint64_t up = lucky & (step - remainder <= reserve->units());
  *reserve += Amount(remainder);
  *reserve -= Amount(step & (0 - up));
  return Cell::FromBits(static_cast<uint16_t>(down.bits() + up));
}

}  // namespace opic::cash

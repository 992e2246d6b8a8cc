// The compact cash cell: a 16-bit float of integers, exact up to 2,048 (DESIGN section 4).
//
//   bits 15..10  exponent e (0 to 63)     bits 9..0  mantissa m
//   e == 0: value m;   e >= 1: value (1024 + m) << (e - 1)      so a cell can hold more than the whole supply
//
// Bits order as values do. An amount of 64 bits needs e <= 54; larger exponents are never written and have no
// value. A step is at most 1/1024 of the value.
//
// Adding what does not fit is rounded without bias: up with probability remainder/step. The draw is a hash of
// the log number and the page's id, so a replay gives the same cells. The difference is the caller's to book on
// the virtual page's exact account.
#pragma once

#include <cstdint>

#include "base/ids.h"
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
uint64_t RoundingDraw(uint64_t log_number, PageId page);

// cell + amount, rounded up when draw/2^64 < remainder/step, and down otherwise or when `*reserve` is smaller
// than what rounding up takes. Books the difference: rounding up takes from `*reserve`, down adds to it,
// so that  old.value() + amount + old reserve == result.value() + new reserve.
// REQUIRES: old.value() + amount <= kSupply; more on one page is cash from nowhere and ends the process.
Cell AddRounded(Cell old, Amount amount, uint64_t draw, Amount* reserve);

}  // namespace opic::cash

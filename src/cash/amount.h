// Money as integers (DESIGN section 5). No floating point on the path of money.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/check.h"

namespace opic::cash {

// Sums of amounts, the clock G and histories: 128 bits never overflow here.
using Sum = unsigned __int128;

// A non-negative number of indivisible units of cash. Subtracting below zero and adding past 2^64
// are bugs of ours and end the process.
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(uint64_t units) : units_(units) {}
  constexpr uint64_t units() const { return units_; }

  Amount& operator+=(Amount other) {
    OPIC_CHECK(!__builtin_add_overflow(units_, other.units_, &units_)) << "cash overflows";
    return *this;
  }
  Amount& operator-=(Amount other) {
    OPIC_CHECK(!__builtin_sub_overflow(units_, other.units_, &units_)) << "negative cash";
    return *this;
  }
  friend Amount operator+(Amount a, Amount b) { return a += b; }
  friend Amount operator-(Amount a, Amount b) { return a -= b; }
  friend constexpr auto operator<=>(Amount, Amount) = default;

 private:
  uint64_t units_ = 0;
};

// All the cash there is, fixed at genesis: 10^18 units.
inline constexpr Amount kSupply{1'000'000'000'000'000'000};

// A Sum in decimal digits, for messages and JSON.
std::string ToString(Sum sum);

}  // namespace opic::cash

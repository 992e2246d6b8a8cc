// Money as integers. No floating point on the path of money.
//
// Thread safety: values; const members may be called from any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"

namespace opic::cash {

// Sums of amounts, the clock G and histories: 128 bits never overflow here.
using Sum = __int128;

// A number of indivisible units of cash. Below zero it is a debt, which ledger push knows
// (importance/push.h) and the paper's windows do not. Leaving the range of 64 bits is a bug of ours
// and ends the process.
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(int64_t units) : units_(units) {}
  constexpr int64_t units() const { return units_; }
  // Without its sign.
  constexpr uint64_t magnitude() const {
    return units_ < 0 ? -static_cast<uint64_t>(units_) : static_cast<uint64_t>(units_);
  }

  Amount& operator+=(Amount other) {
    OPIC_CHECK(!__builtin_add_overflow(units_, other.units_, &units_)) << "cash overflows";
    return *this;
  }
  Amount& operator-=(Amount other) {
    OPIC_CHECK(!__builtin_sub_overflow(units_, other.units_, &units_)) << "cash overflows";
    return *this;
  }
  friend Amount operator+(Amount a, Amount b) { return a += b; }
  friend Amount operator-(Amount a, Amount b) { return a -= b; }
  friend constexpr auto operator<=>(Amount, Amount) = default;

 private:
  int64_t units_ = 0;
};

// All the cash there is, fixed at genesis: 10^18 units.
inline constexpr Amount kSupply{1'000'000'000'000'000'000};

// What a page, or a node, holds or owes at most. Data folders that are lost may leave a debt of two
// supplies (ledger::Charter::lost), against which all others hold as much more than the supply.
inline constexpr Amount kHoldingMax{3 * kSupply.units()};

// A Sum in decimal digits, with a minus sign below zero, for messages and JSON.
std::string ToString(Sum sum);
// What ToString wrote; nothing: it is no such number.
std::optional<Sum> ReadSum(std::string_view text);

}  // namespace opic::cash

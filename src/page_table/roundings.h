// How often credits were rounded in cells of each exponent (cash/cell.h), how often a cell reached
// that exponent, and how far cash has drifted because of it.
//
// Thread safety: a value.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cash/cell.h"

namespace opic::page_table {

class Roundings {
 public:
  // A credit has turned the cell `before` into `after`.
  void Count(cash::Cell before, cash::Cell after) {
    const size_t exponent = ExponentOf(after);
    ++credits_[exponent];
    entries_[exponent] += static_cast<uint64_t>(ExponentOf(before) != exponent);
  }
  // A page has this cell, and no credit of it was counted.
  void Hold(cash::Cell cell) { ++entries_[ExponentOf(cell)]; }
  Roundings& operator+=(const Roundings& more);
  uint64_t credits() const {
    return std::accumulate(credits_.begin(), credits_.end(), uint64_t{0});
  }
  // An upper bound of the expected drift in units, without signs, added up over `pages` pages.
  // Rounding is without bias, with a variance of a sixth of the step's square on average: k credits
  // to m pages make at most sqrt(m * k / 6) steps. No more pages had credits in cells of an
  // exponent than cells reached it. `flow`: the cash that all pages ever had; no more than flow / c
  // pages can have had c at a time.
  double Drift(uint64_t pages, double flow) const;
  // What was counted since `earlier`. REQUIRES: `earlier` is a former state of this; `held` has all
  // cells that there were then.
  Roundings Since(const Roundings& earlier, const Roundings& held) const;

  std::string Encode() const;
  // DataLoss: it is not what Encode made.
  static absl::StatusOr<Roundings> Decode(std::string_view bytes);
  friend bool operator==(const Roundings&, const Roundings&) = default;

 private:
  static size_t ExponentOf(cash::Cell cell) { return cell.bits() >> 10 & 63; }

  std::array<uint64_t, 64> credits_{};  // by the cell's exponent
  std::array<uint64_t, 64> entries_{};  // likewise: cells that reached it or began there
};

}  // namespace opic::page_table

// How often credits were rounded in cells of each exponent (cash/cell.h), how often cells came to
// it, and how far cash has drifted by it.
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
  // A credit made `after` of the cell `before`.
  void Count(cash::Cell before, cash::Cell after) {
    const size_t exponent = ExponentOf(after);
    ++credits_[exponent];
    entries_[exponent] += static_cast<uint64_t>(ExponentOf(before) != exponent);
  }
  // There is a page with this cell of which no credit was counted.
  void Hold(cash::Cell cell) { ++entries_[ExponentOf(cell)]; }
  uint64_t credits() const {
    return std::accumulate(credits_.begin(), credits_.end(), uint64_t{0});
  }
  // In units, without sign and added up over `pages` pages, in expectation at most. Rounding is
  // without bias, with a variance of a sixth of the step's square on average: k credits to m pages
  // make at most sqrt(m * k / 6) steps. No more pages had credits in cells of an exponent than came
  // to it. `flow`: the cash that all pages ever had; no more than flow / c pages can have had c at a
  // time.
  double Drift(uint64_t pages, double flow) const;
  // What was counted since. REQUIRES: `earlier` was counted on the way here; `held` has all cells
  // that there were then.
  Roundings Since(const Roundings& earlier, const Roundings& held) const;

  std::string Encode() const;
  // DataLoss: it is not what Encode made.
  static absl::StatusOr<Roundings> Decode(std::string_view bytes);
  friend bool operator==(const Roundings&, const Roundings&) = default;

 private:
  static size_t ExponentOf(cash::Cell cell) { return cell.bits() >> 10 & 63; }

  std::array<uint64_t, 64> credits_{};  // by the cell's exponent
  std::array<uint64_t, 64> entries_{};  // likewise: cells that came to it or began there
};

}  // namespace opic::page_table

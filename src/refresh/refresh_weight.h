// The weight of a page in the division of bandwidth: (w * rate^alpha)^(1 / (alpha + 1)), the term
// of a page in equations (3.7) and (3.8) of the thesis. w is the page's importance, rate its change
// rate.
//
// It is kept in two bytes, as a power of 2^(1/64): within 0.55 %. That costs 0.001 % of the least
// obsolescence, and makes sums over pages exact counts of pages by weight (frequencies.h).
//
// Thread safety: values; const members may be called from any thread.
#pragma once

#include <cstdint>

namespace opic::refresh {

// The exponent of the cost of obsolescence, w * (rate * age)^alpha (3.1).
inline constexpr double kObsolescenceExponent = 0.95;

// A value; immutable.
class RefreshWeight {
 public:
  static constexpr int kStepsPerOctave = 64;
  static constexpr int kCodes = 128 * kStepsPerOctave;  // weights from 2^-64 to 2^64

  // No weight: a page without importance, or one that does not change.
  RefreshWeight() = default;
  // Weights outside of the range count as its ends. No weight if `importance` or `rate` is not
  // above 0, or no number. `importance` in any unit that is the same for all pages; `rate` in
  // changes a second.
  static RefreshWeight Of(double importance, double rate);

  // 0: none; otherwise 1 to kCodes, greater for greater weights. What a row keeps.
  uint16_t code() const { return code_; }
  // The weight times `factor`, which is above 0. No weight stays none.
  RefreshWeight Times(double factor) const;
  // A code above kCodes counts as kCodes.
  static RefreshWeight FromCode(uint16_t code);

  double value() const { return Values()[code_]; }  // 0 for none
  static const double* Values();                    // by code: kCodes + 1 of them

  friend bool operator==(RefreshWeight, RefreshWeight) = default;

 private:
  uint16_t code_ = 0;
};

}  // namespace opic::refresh

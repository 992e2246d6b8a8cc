// How change rates may lie: a density over ln(rate) that is a broken line, with a corner at each
// octave from once in 136 years to once a second. Its shape is free: of a group of which one half
// never changes and the other half does every hour, it takes no rate between the two, nor one
// beyond both, for likely.
#pragma once

#include <array>
#include <cstddef>

namespace opic::refresh {

// Rates are between these, in changes a second: a page that changed at every visit and of which
// nothing else is known would have an infinite one.
inline constexpr double kChangeRateMax = 1, kChangeRateMin = 0x1p-32;

// A value. The rate of corner i is kChangeRateMin * 2^i.
struct RateDistribution {
  static constexpr size_t kCorners = 33;

  // Log-normal with this mean, in changes a second, within a factor of e^2 (one deviation). A mean
  // that is out of the range, or no number, counts as the nearest end.
  static RateDistribution About(double mean);

  // A rate between two corners: the lower one, and how far it lies from there to the next, 0 to 1.
  struct Place {
    size_t corner;
    double beyond;
  };
  // A rate out of the range, or that is no number, counts as the nearest end.
  static Place PlaceOf(double rate);

  // What the corner below and the one above add to the density at a place.
  double BelowAt(Place place) const { return weights[place.corner] * (1 - place.beyond); }
  double AboveAt(Place place) const { return weights[place.corner + 1] * place.beyond; }

  // The density at the corners, up to a common factor: at least 0, finite, their sum 1.
  std::array<float, kCorners> weights = {};
};

// What is assumed of a page of which nothing at all is known: once a month.
RateDistribution UnknownRate();

}  // namespace opic::refresh

// The optimal refresh frequencies of all pages under a bandwidth (thesis 3.5).
//
// Least obsolescence under sum f_i = B has f_i = B / S * r_i (3.7), with r_i the page's
// RefreshWeight and S = sum r_i (3.8). Frequencies are kept between a floor and a cap; the optimum
// is then f_i = clamp(m * r_i, floor, cap) with one m for all pages, such that their sum is B
// (Kuhn and Tucker's conditions: what caps free and floors take is shared by the others in
// proportion, "water-filling"). Without a floor or cap that bites, m = B / S.
//
// A page without weight has the floor. If all floors together exceed B, every page has an equal
// share of it; if all caps together do not reach B, some of it stays idle.
//
// Pages come in categories, each with a factor on the importance of its pages (thesis chapter 5),
// which may change at any time; a category of factor 0 is not refreshed at all.
//
// No page is kept, only the number of pages of each weight: 64 KiB a category, whatever the number
// of pages. These counts are exact, so neither S nor m drifts. A change costs O(1), O(categories)
// while the floors exceed B. m is computed anew, O(weights), when the changes since have moved the
// sum of frequencies by more than a 4096th of B: the sum is at most so much off, m may be more.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "refresh/refresh_weight.h"

namespace opic::refresh {

struct FrequencyOptions {
  double floor = 1.0 / (90 * 86'400);  // fetches of a page a second; at least 0
  double cap = 1.0 / 3'600;            // at least `floor`
  double bandwidth = 1;                // B, fetches a second
  size_t categories = 1;               // at least 1
};

class Frequencies {
 public:
  static constexpr double kTolerance = 1.0 / 4096;  // of B

  // REQUIRES: the options are finite and within their bounds.
  explicit Frequencies(const FrequencyOptions& options);

  // Pages come, go, and change their weight. The caller keeps each page's weight as it was given
  // here. REQUIRES: `category` < options.categories; a weight that is removed was added.
  void Add(RefreshWeight weight, size_t category = 0);
  void Remove(RefreshWeight weight, size_t category = 0);
  void Change(RefreshWeight from, RefreshWeight to, size_t category = 0);

  // Not a number or negative: 0. The same again costs nothing.
  void SetBandwidth(double bandwidth);
  void SetFactor(double factor, size_t category = 0);

  // f of a page with this weight, in fetches a second; O(1).
  double Of(RefreshWeight weight, size_t category = 0) const;
  // f with at least this multiplier.
  double OfAtLeast(double m, RefreshWeight weight, size_t category) const;
  // f if its category's factor were 1, and the multiplier m the same.
  double OfFactorOne(RefreshWeight weight) const { return Clamped(weight, 1); }
  // f is in proportion to this between the bounds; 0: the category is not refreshed.
  double scale(size_t category) const;

  double planned() const;                 // sum of f_i over all pages
  double planned(size_t category) const;  // over those of a category; O(weights)
  double idle() const;                    // what caps leave of B, for discovery
  // What planned() would be with the multiplier `m`, 0 to infinity, whatever B is; O(weights).
  double PlannedWith(double m) const;
  double multiplier() const { return multiplier_; }
  uint64_t pages() const { return pages_; }
  uint64_t pages(size_t category) const;

 private:
  struct Category {
    std::vector<uint64_t> counts;  // pages by code of their weight
    uint64_t pages = 0;
    double scale = 1;                                 // factor^(1 / (alpha + 1)), 0: not refreshed
    int first = RefreshWeight::kCodes + 1, last = 0;  // no pages outside of these codes
  };
  // Pages at the floor, between, and at the cap, for some m.
  struct Division {
    double floors = 0, weights = 0, caps = 0;  // numbers at the bounds, sum of the others' weights
  };

  double Clamped(RefreshWeight weight, double scale) const;
  Division Divide(double m, double floor) const;
  void Account(RefreshWeight weight, size_t category, int64_t pages);
  void SettleIfOff();
  void Settle();
  void SolveMultiplier();

  FrequencyOptions options_;
  std::vector<Category> categories_;
  uint64_t pages_ = 0;
  uint64_t refreshed_ = 0;  // in categories that are refreshed
  double multiplier_ = 0;
  double floor_ = 0;    // the floor, or the equal share if floors exceed B
  double planned_ = 0;  // sum of f_i
};

}  // namespace opic::refresh

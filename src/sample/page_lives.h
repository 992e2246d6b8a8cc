// Which pages a changing web has when: those of its beginning and newcomers, and when they vanish.
//
// A newcomer is an HTML page that an HTML page of the discovery tree begins to link to when it
// appears; newcomers appear as a Poisson process. HTML pages vanish, each when its own exponential
// draw says, but for front pages and pages of the tree that lead to others. Nothing comes back.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/options.h"
#include "sample/web.h"

namespace opic::sample {

// Pages that ever appear, as a multiple of those of the beginning; later ones stay away.
inline constexpr uint32_t kNewcomersTimes = 9;
inline constexpr uint32_t kAllPagesMax = 4'000'000;  // and the same of all together

// Thread safety: immutable.
class PageLives {
 public:
  // Adds to `web` all pages that ever appear, behind those it has.
  PageLives(const Changes& changes, Web& web);

  // Days since the start: when it appeared (0: a page of the beginning), and when it vanishes
  // (infinite: never).
  double Begin(uint32_t page) const { return page < first_ ? 0 : begins_[page - first_]; }
  double End(uint32_t page) const;
  bool IsThere(uint32_t page, double day) const { return Begin(page) <= day && day < End(page); }
  bool MayVanish(uint32_t page) const { return may_vanish_[page]; }

  // Pages of the beginning are below.
  uint32_t first_newcomer() const { return first_; }
  // Newcomers until then are below.
  uint32_t PagesUntil(double day) const;
  uint32_t ParentOf(uint32_t page) const { return parents_[page]; }
  // Newcomers that it leads to, in the order of their days, and their mean number a day.
  const std::vector<uint32_t>& NewcomersOf(uint32_t parent) const { return newcomers_of_[parent]; }
  double NewcomerRateOf(uint32_t parent) const;
  // Mean number a day of those that appear on a site.
  double NewcomerRateOfSite(uint32_t site) const;

 private:
  void AddNewcomers(const Changes& changes, Web& web);

  const double vanish_rate_;
  const uint64_t seed_;
  const uint32_t first_;
  std::vector<uint32_t> parents_;
  std::vector<bool> may_vanish_;
  std::vector<double> begins_;  // of newcomers, ascending
  std::vector<std::vector<uint32_t>> newcomers_of_;
  std::vector<uint32_t> lasting_of_site_;  // pages that may get newcomers, by site
  std::vector<bool> gets_newcomers_;
  double rate_of_each_ = 0;  // newcomers a day of one page that may get them
};

}  // namespace opic::sample

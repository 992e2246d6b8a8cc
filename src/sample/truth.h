// What is true of the changing web at one moment, for estimates to be held against.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "sample/changing_web.h"

namespace opic::sample {

struct PageTruth {
  uint32_t page = 0;  // of web()
  PageState state;    // never kNotYet
  // Among the pages that are there and those that one of them links to, gone or dead: what a
  // crawler with scope "any" gets to know that comes now. Damping 0.85; forbidden, dead and gone
  // pages without links. Sums to 1; 0 of a page that is gone and that nobody links to any more.
  double importance = 0;
};

// All pages that there were until now, ascending.
std::vector<PageTruth> TruthAt(const ChangingWeb& web, absl::Time now);

// A line a page after a line of names: importance, URL, state, changes, mean changes a day, last
// change. Tabs in between; the first two columns are what `opic compare --truth` reads.
std::string TruthTable(const ChangingWeb& web, absl::Time now);
// A line a link of the pages that are there: both URLs.
std::string LinkTable(const ChangingWeb& web, absl::Time now);

}  // namespace opic::sample

// What the sample web's own log tells of a crawl: how fast it was, and what kills cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "sample/sample_web.h"

namespace opic::scenarios {

// Some nodes ended at once with kill -9.
struct Kill {
  int64_t at_us = 0;  // of the clock of sample::Hit
  std::string whom;
  int nodes = 1;
  int in_motion = 0;  // shards, just before
  // Pages that were asked for before and again after it, because the first answer was lost.
  int repeated = 0;
  absl::Duration oldest;  // before the kill, of the first requests of these
};

// Each request for a page that was made again belongs to the first kill after the request before.
// Returns how many belong to none.
int CountRepeated(std::vector<sample::Hit> hits, std::vector<Kill>& kills);

// Pages asked for in this time, a second.
double PagesPerSecond(const std::vector<sample::Hit>& hits, int64_t from_us, int64_t to_us);

}  // namespace opic::scenarios

// Which seeds a simulation runs: "7" or "1-10000" in an environment variable, else its own choice.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/check.h"

namespace opic::support {

struct SeedRange {
  uint64_t first = 1, last = 1;
  uint64_t size() const { return last - first + 1; }
};

inline SeedRange SeedsFrom(const char* variable, SeedRange otherwise) {
  const char* wanted = std::getenv(variable);
  if (wanted == nullptr) return otherwise;
  const std::pair<std::string, std::string> ends = absl::StrSplit(wanted, absl::MaxSplits('-', 1));
  const auto& [first, last] = ends;
  SeedRange range;
  const bool read = absl::SimpleAtoi(first, &range.first) &&
                    absl::SimpleAtoi(absl::StrContains(wanted, '-') ? last : first, &range.last);
  OPIC_CHECK(read && range.first <= range.last)
      << variable << "=" << wanted << ": expected a seed, or FIRST-LAST";
  return range;
}

}  // namespace opic::support

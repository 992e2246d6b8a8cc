// Which seeds a simulation runs: "7" or "1-10000" in an environment variable, else its own choice.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace opic::support {

struct SeedRange {
  uint64_t first = 1, last = 1;
  uint64_t size() const { return last - first + 1; }
};

inline SeedRange SeedsFrom(const char* variable, SeedRange otherwise) {
  const char* wanted = std::getenv(variable);
  if (wanted == nullptr) return otherwise;
  char* end = nullptr;
  SeedRange range;
  range.first = range.last = std::strtoull(wanted, &end, 10);
  if (*end == '-') range.last = std::strtoull(end + 1, nullptr, 10);
  return range;
}

}  // namespace opic::support

#include "base/counted.h"

#include <fmt/core.h>

namespace opic::base {

std::string Counted(uint64_t count, std::string_view word, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", word);
  return plural.empty() ? fmt::format("{} {}s", count, word) : fmt::format("{} {}", count, plural);
}

}  // namespace opic::base

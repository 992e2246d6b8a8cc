// Numbers and times as people read them.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace opic::cli {

// "1.2 MB", powers of 1,000.
std::string HumanBytes(uint64_t bytes);
// A share of 1 in two digits, whole from 10 on: "0.53 %", "9.9 %", "120 %". What is more than
// nothing is at least "0.0001 %".
std::string HumanPercent(double share);
// "error at most 0.53 %".
std::string ErrorAtMost(double bound);
// "12 s", "4 min 05 s", "3 h 04 min", "12 days 3 h".
std::string HumanTime(absl::Duration duration);
// "2026-11-22 20:00:05 UTC".
std::string UtcTime(absl::Time time);
std::string UtcTime(int64_t unix_seconds);

}  // namespace opic::cli

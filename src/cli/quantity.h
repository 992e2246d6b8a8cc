// Times and sizes as people write them on a command line.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace opic::cli {

// "90", "90s", "1.5m", "2h", "500ms", "1d", "2w"; a bare number is seconds. Nothing: it is no time,
// below 0 or infinite.
std::optional<absl::Duration> DurationOf(const std::string& text);
inline constexpr std::string_view kTimesWords = "a time such as 30, 1.5s, 200ms, 10m, 2h, 1d or 2w";
// The same. InvalidArgument names `flag`.
absl::StatusOr<absl::Duration> ParseDuration(const std::string& text, const std::string& flag);
// Of --rate: from 0 (no limit) to 1,000,000 pages a second. InvalidArgument: it is not.
absl::Status CheckRate(double pages_per_s);
// A count of pages, 0 to 2^60, as an option's check: empty, or what is wrong with it.
std::string CheckCount(const std::string& text);
// "1000", "64K", "10M", "2G" (powers of 1,024). InvalidArgument names `flag`.
absl::StatusOr<uint64_t> ParseBytes(const std::string& text, const std::string& flag);

}  // namespace opic::cli

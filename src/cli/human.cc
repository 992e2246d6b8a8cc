#include "cli/human.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"

namespace opic::cli {

std::string HumanBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1000 && unit < 4) value /= 1000, ++unit;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string HumanPercent(double share) {
  const double percent = 100 * share;
  if (percent >= 9.95) return fmt::format("{:.0f} %", percent);
  return fmt::format("{:.2g} %", percent > 0 ? std::max(percent, 1e-4) : percent);
}

std::string ErrorAtMost(double bound) {
  return fmt::format("error at most {}", HumanPercent(bound));
}

std::string HumanTime(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  if (seconds < 86'400) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{} {} h", base::Counted(static_cast<uint64_t>(seconds / 86'400), "day"),
                     seconds / 3600 % 24);
}

std::string UtcTime(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", time, absl::UTCTimeZone());
}

std::string UtcTime(int64_t unix_seconds) { return UtcTime(absl::FromUnixSeconds(unix_seconds)); }

}  // namespace opic::cli

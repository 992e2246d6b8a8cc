#include "cli/quantity.h"

#include <cstring>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "cli/wrong_value.h"
#include "node/refresh_options.h"

namespace opic::cli {
namespace {

constexpr uint64_t kCountMax = uint64_t{1} << 60;

}  // namespace

std::optional<absl::Duration> DurationOf(const std::string& text) {
  double number = 0;
  absl::Duration duration;
  const bool weeks = text.ends_with('w');
  if (absl::SimpleAtod(text, &number)) {
    duration = absl::Seconds(number);
  } else if ((weeks || text.ends_with('d')) &&
             absl::SimpleAtod(text.substr(0, text.size() - 1), &number)) {
    duration = absl::Hours(24) * (weeks ? 7 : 1) * number;
  } else if (!absl::ParseDuration(text, &duration)) {
    return std::nullopt;
  }
  if (duration >= absl::ZeroDuration() && duration < absl::InfiniteDuration()) return duration;
  return std::nullopt;
}

absl::StatusOr<absl::Duration> ParseDuration(const std::string& text, const std::string& flag) {
  if (const std::optional<absl::Duration> duration = DurationOf(text)) return *duration;
  return WrongValue(flag, text, std::string(kTimesWords));
}

absl::Status CheckRate(double pages_per_s) {
  if (pages_per_s >= 0 && pages_per_s <= node::RefreshOptions::kRateMax) return absl::OkStatus();
  return WrongValue("rate", absl::StrCat(pages_per_s),
                    "from 0 (no limit) to 1,000,000 pages a second");
}

std::string CheckCount(const std::string& text) {
  uint64_t count = 0;
  if (absl::SimpleAtoi(text, &count) && count <= kCountMax) return "";
  return absl::StrCat(base::Quoted(text), " is not valid; it must be a whole number, 0 or more",
                      count > kCountMax ? ", at most 2^60" : "");
}

absl::StatusOr<uint64_t> ParseBytes(const std::string& text, const std::string& flag) {
  static constexpr char kUnits[] = "KMGT";
  uint64_t scale = 1;
  std::string digits = text;
  if (!digits.empty()) {
    const char* unit =
        std::strchr(kUnits, absl::ascii_toupper(static_cast<unsigned char>(digits.back())));
    if (unit != nullptr && *unit != '\0') {
      scale = uint64_t{1} << (10 * (unit - kUnits + 1));
      digits.pop_back();
    }
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) || number > (uint64_t{1} << 62) / scale) {
    return WrongValue(flag, text, "a size such as 1000, 64K, 10M, 2G");
  }
  return number * scale;
}

}  // namespace opic::cli

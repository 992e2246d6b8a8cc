#include "scheduler/host_record.h"

#include <algorithm>

#include "base/encoding.h"

namespace opic::scheduler {
namespace {

// Nobody waits so long; keeps sums of decoded times in range.
constexpr uint64_t kMillisMax = uint64_t{1} << 52;
constexpr uint64_t kCountMax = 1'000'000;

uint64_t MillisUp(absl::Duration duration) {
  const int64_t millis = absl::ToInt64Milliseconds(absl::Ceil(duration, absl::Milliseconds(1)));
  return std::min<uint64_t>(std::max<int64_t>(millis, 0), kMillisMax);
}

void AppendTime(std::string& out, absl::Time time) {
  base::AppendVarint(out, MillisUp(time - absl::UnixEpoch()));
}

void AppendDuration(std::string& out, absl::Duration duration) {
  base::AppendVarint(out, MillisUp(duration));
}

uint64_t Millis(base::Decoder& in) {
  const uint64_t millis = in.Varint();
  if (millis > kMillisMax) in.Fail();
  return in.ok() ? millis : 0;
}

// 0 stands for "never set".
absl::Time TimeFrom(base::Decoder& in) {
  const uint64_t millis = Millis(in);
  return millis == 0 ? absl::InfinitePast() : absl::FromUnixMillis(static_cast<int64_t>(millis));
}

absl::Time Shifted(absl::Time time, absl::Duration by) {
  return time == absl::InfinitePast() ? time : time + by;
}

}  // namespace

schedule::HostPace Shifted(schedule::HostPace pace, absl::Duration by) {
  pace.next_allowed = Shifted(pace.next_allowed, by);
  pace.given_up_until = Shifted(pace.given_up_until, by);
  return pace;
}

std::string EncodePace(const schedule::HostPace& pace) {
  std::string out;
  AppendTime(out, pace.next_allowed);
  AppendTime(out, pace.given_up_until);
  AppendDuration(out, pace.crawl_delay);
  AppendDuration(out, pace.backoff);
  base::AppendVarint(out, static_cast<uint64_t>(std::max(pace.failures, 0)));
  if (pace.urls_failing > 0) base::AppendVarint(out, static_cast<uint64_t>(pace.urls_failing));
  return out;
}

std::optional<schedule::HostPace> DecodePace(std::string_view bytes) {
  base::Decoder in(bytes);
  schedule::HostPace pace;
  pace.next_allowed = TimeFrom(in);
  pace.given_up_until = TimeFrom(in);
  pace.crawl_delay = absl::Milliseconds(Millis(in));
  pace.backoff = absl::Milliseconds(Millis(in));
  pace.failures = static_cast<int>(std::min(in.Varint(), kCountMax));
  if (in.ok() && !in.done()) {
    pace.urls_failing = static_cast<int>(std::min(in.Varint(), kCountMax));
    if (pace.urls_failing == 0) in.Fail();
  }
  if (!in.done()) return std::nullopt;
  return pace;
}

}  // namespace opic::scheduler

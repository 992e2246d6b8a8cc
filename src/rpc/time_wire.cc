#include "rpc/time_wire.h"

#include <algorithm>

namespace opic::rpc {
namespace {

const absl::Time kFirst = absl::FromUnixSeconds(-62'135'596'800);
const absl::Time kLast = absl::FromUnixSeconds(253'402'300'800) - absl::Microseconds(1);
constexpr absl::Duration kLongest = absl::Seconds(315'576'000'000);

}  // namespace

absl::Time InRange(absl::Time time) { return std::clamp(time, kFirst, kLast); }
absl::Duration InRange(absl::Duration duration) {
  return std::clamp(duration, -kLongest, kLongest);
}

google::protobuf::Timestamp WireTime(absl::Time time) {
  time = InRange(time);
  google::protobuf::Timestamp wire;
  wire.set_seconds(absl::ToUnixSeconds(time));  // the second before it, also of times before 1970
  const absl::Duration rest = time - absl::FromUnixSeconds(wire.seconds());
  wire.set_nanos(static_cast<int32_t>(absl::ToInt64Microseconds(rest) * 1'000));
  return wire;
}

absl::Time TimeOf(const google::protobuf::Timestamp& wire) {
  return InRange(absl::FromUnixSeconds(wire.seconds()) +
                 absl::Nanoseconds(wire.nanos() / 1'000 * 1'000));
}

google::protobuf::Duration WireDuration(absl::Duration duration) {
  duration = InRange(duration);
  google::protobuf::Duration wire;
  wire.set_seconds(absl::ToInt64Seconds(duration));  // towards zero: both have the same sign
  const absl::Duration rest = duration - absl::Seconds(wire.seconds());
  wire.set_nanos(static_cast<int32_t>(absl::ToInt64Microseconds(rest) * 1'000));
  return wire;
}

absl::Duration DurationOf(const google::protobuf::Duration& wire) {
  return InRange(absl::Seconds(wire.seconds()) + absl::Nanoseconds(wire.nanos() / 1'000 * 1'000));
}

}  // namespace opic::rpc

// Times and durations on the wire, where people read them: google.protobuf.Timestamp and Duration.
// In whole microseconds, and no farther than these allow: the years 1 to 9999, 10,000 years.
//
// Thread safety: pure.
#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <optional>

#include "absl/time/time.h"

namespace opic::rpc {

// Cut to what these allow.
absl::Time InRange(absl::Time time);
absl::Duration InRange(absl::Duration duration);
google::protobuf::Timestamp WireTime(absl::Time time);
absl::Time TimeOf(const google::protobuf::Timestamp& wire);
google::protobuf::Duration WireDuration(absl::Duration duration);
absl::Duration DurationOf(const google::protobuf::Duration& wire);

// Unix seconds, where 0 is none.
inline absl::Time TimeAt(int64_t seconds) { return absl::FromUnixSeconds(seconds); }
inline int64_t SecondsOf(absl::Time time) { return absl::ToUnixSeconds(InRange(time)); }

// A message with `delay` and, for programs of the release before, `delay_us`. Where a delay changes
// something, both are told, so that no program takes half of it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <typename Message>
void TellDelay(absl::Duration delay, Message* wire) {
  *wire->mutable_delay() = WireDuration(delay);
  wire->set_delay_us(absl::ToInt64Microseconds(delay));
}
template <typename Message>
std::optional<absl::Duration> DelayOf(const Message& wire) {
  if (wire.has_delay()) return DurationOf(wire.delay());
  if (wire.has_delay_us()) return InRange(absl::Microseconds(wire.delay_us()));
  return std::nullopt;
}
#pragma GCC diagnostic pop

}  // namespace opic::rpc

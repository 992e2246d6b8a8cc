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

// Of a message with a `delay` that may be absent.
template <typename Message>
std::optional<absl::Duration> DelayOf(const Message& wire) {
  if (!wire.has_delay()) return std::nullopt;
  return DurationOf(wire.delay());
}

}  // namespace opic::rpc

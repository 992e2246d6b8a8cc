#include "rpc/time_wire.h"

#include <gtest/gtest.h>

#include <limits>

#include "opic/v1/scheduler.pb.h"

namespace opic::rpc {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(TimeWireTest, TimesTravelInMicroseconds) {
  for (const absl::Time time :
       {absl::UnixEpoch(), absl::FromUnixMicros(1'764'000'000'123'456),
        absl::FromUnixMicros(-1'500'001), absl::FromUnixMicros(-62'135'596'800'000'000)}) {
    const google::protobuf::Timestamp wire = WireTime(time);
    EXPECT_EQ(TimeOf(wire), time);
    EXPECT_GE(wire.nanos(), 0);
    EXPECT_LT(wire.nanos(), 1'000'000'000);
  }
  EXPECT_EQ(TimeOf(WireTime(absl::FromUnixNanos(1'999))), absl::FromUnixMicros(1));
  EXPECT_EQ(WireTime(absl::FromUnixMillis(-500)).seconds(), -1);
}

TEST(TimeWireTest, SoDoDurations) {
  for (const absl::Duration duration :
       {absl::ZeroDuration(), absl::Microseconds(1'500'001), absl::Microseconds(-1'500'001),
        absl::Hours(24 * 365 * 100)}) {
    EXPECT_EQ(DurationOf(WireDuration(duration)), duration);
  }
  EXPECT_EQ(WireDuration(absl::Milliseconds(-1'500)).seconds(), -1);
  EXPECT_EQ(WireDuration(absl::Milliseconds(-1'500)).nanos(), -500'000'000);
}

// Protobuf's JSON refuses what is farther away, and strangers may send anything.
TEST(TimeWireTest, TheEndsOfTimeAreCutOff) {
  EXPECT_EQ(WireTime(absl::InfiniteFuture()).seconds(), 253'402'300'799);
  EXPECT_EQ(WireTime(absl::InfinitePast()).seconds(), -62'135'596'800);
  EXPECT_EQ(WireDuration(absl::InfiniteDuration()).seconds(), 315'576'000'000);
  EXPECT_EQ(WireDuration(-absl::InfiniteDuration()).seconds(), -315'576'000'000);
  google::protobuf::Timestamp time;
  google::protobuf::Duration duration;
  for (const int64_t seconds : {kMost, -kMost - 1}) {
    time.set_seconds(seconds);
    duration.set_seconds(seconds);
    for (const int32_t nanos :
         {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}) {
      time.set_nanos(nanos);
      duration.set_nanos(nanos);
      EXPECT_EQ(TimeOf(WireTime(TimeOf(time))), TimeOf(time));
      EXPECT_EQ(DurationOf(WireDuration(DurationOf(duration))), DurationOf(duration));
    }
  }
}

TEST(TimeWireTest, ADelayMayBeAbsent) {
  v1::SetBudgetRequest request;
  EXPECT_EQ(DelayOf(request), std::nullopt);
  *request.mutable_delay() = WireDuration(absl::ZeroDuration());
  EXPECT_EQ(DelayOf(request), absl::ZeroDuration());
  *request.mutable_delay() = WireDuration(absl::Milliseconds(1'500));
  EXPECT_EQ(DelayOf(request), absl::Milliseconds(1'500));
}

}  // namespace
}  // namespace opic::rpc

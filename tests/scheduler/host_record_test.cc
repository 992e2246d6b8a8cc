#include "scheduler/host_record.h"

#include <gtest/gtest.h>

namespace opic::scheduler {
namespace {

using schedule::HostPace;

TEST(HostRecordTest, APaceIsReadBackAsWritten) {
  HostPace pace;
  pace.next_allowed = absl::FromUnixMillis(1'700'000'000'123);
  pace.given_up_until = absl::FromUnixMillis(1'700'000'086'400'000);
  pace.crawl_delay = absl::Milliseconds(1500);
  pace.backoff = absl::Seconds(8);
  pace.failures = 6;
  pace.urls_failing = 3;
  EXPECT_EQ(DecodePace(EncodePace(pace)), pace);
  EXPECT_EQ(DecodePace(EncodePace(HostPace())), HostPace());
}

// The example of docs/formats/scheduler_store.md.
TEST(HostRecordTest, TheDocumentedExampleHolds) {
  HostPace pace;
  pace.next_allowed = absl::FromUnixMillis(1'000'000'002'500);
  pace.crawl_delay = absl::Seconds(2);
  EXPECT_EQ(EncodePace(pace), std::string("\xc4\xb3\x94\xa5\x8d\x1d\x00\xd0\x0f\x00\x00", 11));
}

TEST(HostRecordTest, TimesAreRoundedUpSoThatNobodyIsAskedTooEarly) {
  HostPace pace;
  pace.next_allowed = absl::FromUnixNanos(1'700'000'000'000'000'001);
  EXPECT_EQ(DecodePace(EncodePace(pace))->next_allowed, absl::FromUnixMillis(1'700'000'000'001));
}

TEST(HostRecordTest, CutOrPaddedBytesAreRefused) {
  HostPace pace;
  pace.failures = 300;
  const std::string bytes = EncodePace(pace);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodePace(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(DecodePace(bytes + '\0'));
  EXPECT_FALSE(DecodePace(std::string(5, '\xff')));
}

}  // namespace
}  // namespace opic::scheduler

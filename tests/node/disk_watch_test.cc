#include "node/disk_watch.h"

#include <gtest/gtest.h>

#include "tests/support/own_path.h"

namespace opic::node {
namespace {

class DiskWatchTest : public testing::Test {
 protected:
  bool LookAt(uint64_t free) {
    room_ = DiskRoom{.free = free, .whole = 10'000};
    return watch_.Look(now_ += absl::Seconds(1));
  }
  DiskWatch Watching(std::optional<uint64_t> free_min) {
    return DiskWatch({.free_min = free_min, .read = [this] { return ++reads_, room_; }});
  }

  int reads_ = 0;
  absl::StatusOr<DiskRoom> room_;
  absl::Time now_ = absl::UnixEpoch();
  DiskWatch watch_ = Watching(1000);
};

TEST_F(DiskWatchTest, IsLowBelowTheMarkUntilAQuarterMoreIsFree) {
  EXPECT_FALSE(LookAt(1000));
  EXPECT_TRUE(LookAt(999));
  EXPECT_TRUE(watch_.state().low);
  EXPECT_FALSE(LookAt(1249));  // it would stop and go
  EXPECT_TRUE(watch_.state().low);
  EXPECT_TRUE(LookAt(1250));
  EXPECT_FALSE(watch_.state().low);
  EXPECT_FALSE(LookAt(1000));
}

TEST_F(DiskWatchTest, LooksOnceASecond) {
  LookAt(1000);
  EXPECT_FALSE(watch_.Look(now_ + absl::Milliseconds(999)));
  EXPECT_EQ(reads_, 1);
}

TEST_F(DiskWatchTest, ADiskThatCannotBeAskedStaysAsItWas) {
  LookAt(999);
  room_ = absl::InternalError("statvfs");
  EXPECT_FALSE(watch_.Look(now_ += absl::Seconds(1)));
  EXPECT_TRUE(watch_.state().low);
}

TEST_F(DiskWatchTest, OnRequestAnyRoomWillDo) {
  room_ = DiskRoom{.free = 0, .whole = 10'000};
  DiskWatch content = Watching(0);
  EXPECT_FALSE(content.Look(now_));
  EXPECT_FALSE(content.state().low);
  EXPECT_EQ(reads_, 0);
}

TEST_F(DiskWatchTest, ByDefaultTwoGigabytesOrATwentieth) {
  EXPECT_EQ(DefaultFreeMin({.whole = 10'000}), 500u);
  EXPECT_EQ(DefaultFreeMin({.whole = uint64_t{1} << 40}), uint64_t{2} << 30);
}

TEST_F(DiskWatchTest, ReadsAFileSystem) {
  const absl::StatusOr<DiskRoom> room = DiskRoomAt(testing::TempDir());
  ASSERT_TRUE(room.ok()) << room.status();
  EXPECT_GT(room->whole, 0u);
  EXPECT_LE(room->free, room->whole);
  EXPECT_FALSE(DiskRoomAt(support::OwnPath("absent")).ok());
}

}  // namespace
}  // namespace opic::node

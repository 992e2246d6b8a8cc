// Chunks of the calendar in a file without a name.
#include "node/calendar_file.h"

#include <gtest/gtest.h>

namespace opic::node {
namespace {

class CalendarFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto created = CalendarFile::Create(testing::TempDir());
    ASSERT_TRUE(created.ok()) << created.status();
    file_ = *std::move(created);
  }
  static refresh::ChunkKey Key(uint64_t number) { return {600, 1, number}; }
  std::unique_ptr<CalendarFile> file_;
};

TEST_F(CalendarFileTest, ChunksAreReadBackAndRemoved) {
  const std::string large(200'000, 'x');
  ASSERT_TRUE(file_->Write({{Key(1), "one"}, {Key(2), large}, {Key(3), ""}}, {}).ok());
  EXPECT_EQ(file_->Read(Key(1)).value(), "one");
  EXPECT_EQ(file_->Read(Key(2)).value(), large);
  EXPECT_EQ(file_->Read(Key(3)).value(), "");
  EXPECT_EQ(file_->List().value().size(), 3u);
  ASSERT_TRUE(file_->Write({{Key(4), "four"}}, {Key(1)}).ok());
  EXPECT_TRUE(absl::IsNotFound(file_->Read(Key(1)).status()));
  EXPECT_EQ(file_->Read(Key(4)).value(), "four");
}

TEST_F(CalendarFileTest, RoomIsUsedAgainAndChunksDoNotOverlap) {
  const std::string bytes(60'000, 'a');
  for (uint64_t number = 1; number <= 100; ++number) {
    ASSERT_TRUE(file_->Write({{Key(number), bytes}}, {}).ok());
    if (number <= 2) continue;
    ASSERT_TRUE(file_->Write({}, {Key(number - 2)}).ok());
  }
  EXPECT_LE(file_->bytes(), 4u * 65'536);
  ASSERT_TRUE(file_->Write({{Key(101), std::string(60'000, 'b')}}, {}).ok());
  EXPECT_EQ(file_->Read(Key(99)).value(), bytes);
  EXPECT_EQ(file_->Read(Key(100)).value(), bytes);
}

}  // namespace
}  // namespace opic::node

// An answer in parts, without a connection.
#include "http/flow.h"

#include <gtest/gtest.h>

namespace opic::http {
namespace {

class FlowTest : public testing::Test {
 protected:
  // What is taken at once; "-": nothing is there yet; "end": that was all.
  std::string Take(size_t room = 100) {
    std::string to(room, ' ');
    const std::optional<size_t> bytes = flow_.Take(
        to.data(), room, [&] { ++slept_; }, [&] { ++woken_; });
    if (!bytes) return "end";
    return *bytes == 0 ? "-" : to.substr(0, *bytes);
  }
  int wanted_ = 0, gone_ = 0, slept_ = 0, woken_ = 0;
  Flow flow_{[this] { ++wanted_; }, [this] { ++gone_; }};
};

TEST_F(FlowTest, TheNextPartIsWantedWhenTheFirstWasTaken) {
  flow_.Add("abcdef");
  EXPECT_EQ(Take(4), "abcd");
  EXPECT_EQ(Take(4), "ef");
  EXPECT_EQ(wanted_, 0);
  EXPECT_FALSE(flow_.asleep());
  EXPECT_EQ(Take(), "-");
  EXPECT_EQ(wanted_, 1);
  EXPECT_EQ(slept_, 1);
  EXPECT_TRUE(flow_.asleep());
  flow_.Add("gh");
  EXPECT_EQ(woken_, 1);
  EXPECT_FALSE(flow_.asleep());
  EXPECT_EQ(Take(), "gh");
}

TEST_F(FlowTest, WhatWasAddedBeforeTheEndIsSent) {
  flow_.Add("ab");
  EXPECT_EQ(Take(1), "a");
  flow_.Add("c");
  flow_.End();
  EXPECT_EQ(Take(), "bc");
  EXPECT_EQ(Take(), "end");
  EXPECT_EQ(wanted_, 0);
}

TEST_F(FlowTest, TheEndWakes) {
  EXPECT_EQ(Take(), "-");
  flow_.End();
  EXPECT_EQ(woken_, 1);
  EXPECT_EQ(Take(), "end");
}

TEST_F(FlowTest, AConnectionThatIsOverIsNotWoken) {
  EXPECT_EQ(Take(), "-");
  flow_.Close();
  flow_.Add("a");
  flow_.End();
  EXPECT_EQ(woken_, 0);
}

}  // namespace
}  // namespace opic::http

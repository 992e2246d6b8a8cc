#include "base/bounded_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace opic::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BoundedQueue, GivesItemsInTheirOrder) {
  BoundedQueue<int> queue(3);
  for (int i : {1, 2, 3}) EXPECT_TRUE(queue.Push(i));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_THAT(queue.PopSome(5, absl::ZeroDuration()), ElementsAre(2, 3));
}

TEST(BoundedQueue, WhenFullTryPushRefusesAndLeavesTheItem) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.TryPush(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(queue.TryPush(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(*second, 2);
}

TEST(BoundedQueue, WhenFullPushWaitsForRoom) {
  BoundedQueue<int> queue(1);
  queue.Push(1);
  std::thread producer([&] { EXPECT_TRUE(queue.Push(2)); });
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
  producer.join();
}

TEST(BoundedQueue, TakesNoMoreThanAskedFor) {
  BoundedQueue<int> queue(4);
  for (int i : {1, 2, 3}) queue.Push(i);
  EXPECT_THAT(queue.PopSome(2, absl::ZeroDuration()), ElementsAre(1, 2));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(BoundedQueue, PatienceEndsWithNothing) {
  BoundedQueue<int> queue(1);
  EXPECT_THAT(queue.PopSome(1, absl::Milliseconds(1)), IsEmpty());
}

TEST(BoundedQueue, ClosedItRefusesAndDrains) {
  BoundedQueue<int> queue(2);
  queue.Push(1);
  queue.Close();
  EXPECT_FALSE(queue.Push(2));
  EXPECT_FALSE(queue.TryPush(3));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), std::nullopt);
  EXPECT_THAT(queue.PopSome(1, absl::InfiniteDuration()), IsEmpty());
}

TEST(BoundedQueue, ClosingWakesWhoWaits) {
  BoundedQueue<int> empty(1), full(1);
  full.Push(1);
  std::thread consumer([&] { EXPECT_EQ(empty.Pop(), std::nullopt); });
  std::thread producer([&] { EXPECT_FALSE(full.Push(2)); });
  empty.Close();
  full.Close();
  consumer.join();
  producer.join();
}

TEST(BoundedQueue, LosesAndRepeatsNothingBetweenThreads) {
  constexpr int kEach = 2000;
  BoundedQueue<int> queue(7);
  const auto produce = [&](int from) {
    for (int i = 0; i < kEach; ++i) queue.Push(from + i);
  };
  std::thread first(produce, 0), second(produce, kEach);
  std::vector<int> seen(2 * kEach, 0);
  for (int i = 0; i < 2 * kEach; ++i) ++seen[*queue.Pop()];
  first.join();
  second.join();
  EXPECT_THAT(seen, ::testing::Each(1));
}

}  // namespace
}  // namespace opic::base

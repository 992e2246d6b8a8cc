#include "base/bounded_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "absl/time/clock.h"
#include "tests/support/sleeping_thread.h"

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
  support::SleepingThread producer([&] { EXPECT_TRUE(queue.Push(2)); });
  EXPECT_TRUE(producer.AwaitSleep());
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
}

TEST(BoundedQueue, TakesNoMoreThanAskedFor) {
  BoundedQueue<int> queue(4);
  for (int i : {1, 2, 3}) queue.Push(i);
  EXPECT_THAT(queue.PopSome(2, absl::ZeroDuration()), ElementsAre(1, 2));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(BoundedQueue, TakesAllThereAre) {
  BoundedQueue<int> queue(4);
  std::thread producer([&] { queue.Push(1); });
  EXPECT_THAT(queue.PopAll(3), ElementsAre(1));
  producer.join();
  for (int i : {2, 3, 4, 5}) queue.PushPatiently(i);
  EXPECT_THAT(queue.PopAll(3), ElementsAre(2, 3, 4));
  queue.Close();
  EXPECT_THAT(queue.PopAll(3), ElementsAre(5));
  EXPECT_THAT(queue.PopAll(3), IsEmpty());
}

TEST(BoundedQueue, PatienceEndsWithNothing) {
  BoundedQueue<int> queue(1);
  EXPECT_THAT(queue.PopSome(1, absl::Milliseconds(1)), IsEmpty());
}

constexpr absl::Duration kLong = absl::Minutes(10);  // never waited for

TEST(BoundedQueue, PatientItemsWaitForEnoughOfThem) {
  BoundedQueue<int> queue(4);
  queue.PushPatiently(1);
  std::thread producer([&] {
    queue.PushPatiently(2);
    queue.PushPatiently(3);
  });
  EXPECT_THAT(queue.PopSome(4, kLong, 3), ElementsAre(1, 2, 3));
  producer.join();
}

TEST(BoundedQueue, AnItemThatPressesEndsTheWaitOfAll) {
  BoundedQueue<int> queue(4);
  queue.PushPatiently(1);
  std::thread producer([&] { queue.Push(2); });
  EXPECT_THAT(queue.PopSome(4, kLong, 3), ElementsAre(1, 2));
  producer.join();
}

TEST(BoundedQueue, OneThatPressesWaitsForNoTurnOfTheNextCall) {
  BoundedQueue<int> queue(4);
  queue.PushPatiently(1);
  queue.Push(2);
  EXPECT_THAT(queue.PopSome(1, kLong, 3), ElementsAre(1));
  EXPECT_THAT(queue.PopSome(1, kLong, 3), ElementsAre(2));
}

TEST(BoundedQueue, PatienceEndsWithWhatThereIs) {
  BoundedQueue<int> queue(4);
  queue.Push(1);
  queue.Pop();  // nothing presses any more
  queue.PushPatiently(2);
  const absl::Time begun = absl::Now();
  EXPECT_THAT(queue.PopSome(4, absl::Milliseconds(20), 3), ElementsAre(2));
  EXPECT_GE(absl::Now() - begun, absl::Milliseconds(19));
}

TEST(BoundedQueue, APatientItemWakesWhoWaitsForOne) {
  BoundedQueue<int> queue(4);
  std::thread producer([&] {
    queue.PushPatiently(1);
    queue.PushPatiently(2);
  });
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_THAT(queue.PopSome(4, kLong), ElementsAre(2));
  producer.join();
}

// More than fit would never gather.
TEST(BoundedQueue, AFullQueueIsEnough) {
  BoundedQueue<int> queue(2);
  queue.PushPatiently(1);
  std::thread producer([&] {
    queue.PushPatiently(2);
    queue.PushPatiently(3);
  });
  EXPECT_THAT(queue.PopSome(4, kLong, 5), ElementsAre(1, 2));
  EXPECT_EQ(queue.Pop(), 3);
  producer.join();
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
  support::SleepingThread consumer([&] { EXPECT_EQ(empty.Pop(), std::nullopt); });
  support::SleepingThread producer([&] { EXPECT_FALSE(full.Push(2)); });
  EXPECT_TRUE(consumer.AwaitSleep() && producer.AwaitSleep());
  empty.Close();
  full.Close();
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

TEST(BoundedQueue, PatientItemsAreAllTakenBetweenThreads) {
  constexpr int kEach = 2000;
  BoundedQueue<int> queue(70);
  const auto produce = [&](int from) {
    for (int i = 0; i < kEach; ++i)
      i % 97 == 0 ? queue.Push(from + i) : queue.PushPatiently(from + i);
  };
  std::thread first(produce, 0), second(produce, kEach);
  std::vector<int> seen(2 * kEach, 0);
  for (int taken = 0; taken < 2 * kEach;) {
    for (int item : queue.PopSome(64, absl::Milliseconds(10), 64)) ++seen[item], ++taken;
  }
  first.join();
  second.join();
  EXPECT_THAT(seen, ::testing::Each(1));
}

// The last push may be on its way out of it still.
TEST(BoundedQueue, MayGoWhenItsLastItemWasTaken) {
  for (int i = 0; i < 500; ++i) {
    auto queue = std::make_unique<BoundedQueue<int>>(1);
    std::thread producer([&queue = *queue] { queue.Push(1); });
    EXPECT_EQ(queue->Pop(), 1);
    queue.reset();
    producer.join();
  }
}

}  // namespace
}  // namespace opic::base

#include "base/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sleeping_thread.h"

namespace opic::base {
namespace {

using testing::ElementsAre;

bool Urgent() { return true; }
bool NotUrgent() { return false; }

TEST(EventQueueTest, AllThatIsThereComesInItsOrder) {
  EventQueue<int> queue;
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2, NotUrgent));
  EXPECT_TRUE(queue.Push(3));
  EXPECT_THAT(queue.PopAll(absl::InfiniteDuration()), ElementsAre(1, 2, 3));
  EXPECT_TRUE(queue.Push(4, NotUrgent));
  EXPECT_THAT(queue.PopAll(absl::InfiniteDuration()), ElementsAre(4)) << "nobody has to be woken";
}

TEST(EventQueueTest, WhatIsUrgentWakesAndTakesTheRestAlong) {
  EventQueue<int> queue;
  support::SleepingThread consumer(
      [&] { EXPECT_THAT(queue.PopAll(absl::InfiniteDuration()), ElementsAre(1, 2)); });
  EXPECT_TRUE(consumer.AwaitSleep());
  queue.Push(1, NotUrgent);
  EXPECT_TRUE(consumer.AwaitSleep()) << "it was woken for what is not urgent";
  queue.Push(2, Urgent);
}

TEST(EventQueueTest, AClosedOneTakesNothing) {
  EventQueue<int> queue(/*open=*/false);
  EXPECT_FALSE(queue.Push(1));
  EXPECT_FALSE(queue.Push(1, NotUrgent));
  queue.Open();
  EXPECT_TRUE(queue.Push(1));
  queue.Close();
  EXPECT_FALSE(queue.Push(2));
  EXPECT_THAT(queue.PopAll(absl::ZeroDuration()), ElementsAre(1));
}

}  // namespace
}  // namespace opic::base

#include "base/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <vector>

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
  auto popped = std::async(std::launch::async, [&] {
    std::vector<int> all;
    while (all.empty() || all.back() != 2) {
      for (const int event : queue.PopAll(absl::InfiniteDuration())) all.push_back(event);
    }
    return all;
  });
  queue.Push(1, NotUrgent);
  queue.Push(2, Urgent);
  EXPECT_THAT(popped.get(), ElementsAre(1, 2));
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

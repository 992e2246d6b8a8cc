// In which order the pages of one host leave its queue when most of them are in the spill.
#include "scheduler/page_queue.h"

#include <gtest/gtest.h>

#include <set>

#include "schedule/refresh_cash.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

PageId NthPage(uint64_t number) { return PageId(ShardId{1}, number); }

// Of a host two pages are in memory here, and two delayed ones; a third delayed one is put off.
TEST(PageQueueTest, WhatIsPutOffComesLastFromTheSpillToo) {
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  PageQueue pages(*store, /*in_memory_max=*/32);
  HostQueue queue;
  const absl::Time now = absl::FromUnixSeconds(1'790'000'000), later = now + absl::Hours(1);
  for (uint64_t number = 1; number <= 3; ++number)
    pages.Delay(queue, {.page = NthPage(number), .attempts = 1}, later);
  ASSERT_EQ(queue.put_off, 1u);
  std::set<PageId> offered;
  for (uint64_t number = 11; number <= 16; ++number) {
    offered.insert(NthPage(number));
    pages.Add(queue, NthPage(number), cash::Amount(number));
  }
  for (uint64_t number = 21; number <= 26; ++number) {
    offered.insert(NthPage(number));
    pages.Add(queue, NthPage(number), schedule::CashOfFrequency(0.1), /*favoured=*/false,
              DueSince{.plan = now, .turn = now});
  }
  EXPECT_GT(pages.on_disk(), 0u);
  while (!offered.empty()) {
    const absl::StatusOr<QueuedPage> page = pages.Take(queue, Choice::kDueFirst, now);
    ASSERT_TRUE(page.ok()) << page.status();
    EXPECT_EQ(offered.erase(page->page), 1u) << page->page.word() << " is put off";
    if (page->attempts > 0) break;
  }
  EXPECT_TRUE(queue.only_waiting());
}

}  // namespace
}  // namespace opic::scheduler

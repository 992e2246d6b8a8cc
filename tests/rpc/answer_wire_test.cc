// States, times and durations of answers, as people read them and as they come back.
#include "rpc/answer_wire.h"

#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "opic/v1/export.pb.h"
#include "opic/v1/importance.pb.h"
#include "opic/v1/scheduler.pb.h"
#include "refresh/page_plan.h"
#include "rpc/export_wire.h"
#include "rpc/time_wire.h"
#include "rpc/waiting_wire.h"

namespace opic::rpc {
namespace {

v1::PageImportance PageTold(const node::PageImportance& page) {
  v1::PageImportance wire;
  ToWire(page, &wire);
  return wire;
}

TEST(AnswerWireTest, APageHasTheTimesThatThereAre) {
  const v1::PageImportance unread = PageTold({.known = true, .state = "unread"});
  EXPECT_EQ(unread.state(), v1::PAGE_STATE_UNREAD);
  EXPECT_FALSE(unread.has_fetched_at() || unread.has_due() || unread.due_at_once());
  EXPECT_EQ(FromWire(unread).fetched_at, 0);
  EXPECT_EQ(FromWire(unread).due, refresh::PagePlan::kNever);

  const v1::PageImportance read =
      PageTold({.known = true, .state = "gone", .fetched_at = 1'700'000'000, .due = 1'800'000'000});
  EXPECT_EQ(read.state(), v1::PAGE_STATE_GONE);
  EXPECT_EQ(read.fetched_at().seconds(), 1'700'000'000);
  EXPECT_EQ(read.due().seconds(), 1'800'000'000);
  EXPECT_EQ(FromWire(read).state, "gone");
  EXPECT_EQ(FromWire(read).fetched_at, 1'700'000'000);
  EXPECT_EQ(FromWire(read).due, 1'800'000'000);

  const v1::PageImportance published = PageTold({.due = refresh::PagePlan::kAtOnce});
  EXPECT_TRUE(published.due_at_once());
  EXPECT_FALSE(published.has_due());
  EXPECT_EQ(FromWire(published).due, refresh::PagePlan::kAtOnce);
}

TEST(AnswerWireTest, WhatHostsWaitFor) {
  scheduler::WaitingReport report;
  scheduler::WaitingHosts& backoff =
      report.reasons[static_cast<size_t>(scheduler::HostWait::kBackoff)];
  backoff = {.hosts = 2, .pages = 5, .first = absl::FromUnixSeconds(100), .example = "a.test"};
  report.reasons[static_cast<size_t>(scheduler::HostWait::kPaused)] = {.hosts = 1, .pages = 1};
  v1::ExplainWaitingResponse wire;
  ToWire(report, absl::Seconds(1'000), &wire);
  ASSERT_EQ(wire.waiting_size(), 2);
  EXPECT_EQ(wire.waiting(0).reason(), v1::WAIT_REASON_BACKOFF);
  EXPECT_EQ(wire.waiting(0).first().seconds(), 1'100);
  EXPECT_EQ(wire.waiting(1).reason(), v1::WAIT_REASON_PAUSED);
  EXPECT_FALSE(wire.waiting(1).has_first());
  const scheduler::WaitingReport read = FromWire(wire);
  EXPECT_EQ(read.reasons[static_cast<size_t>(scheduler::HostWait::kBackoff)].pages, 5u);
  EXPECT_EQ(read.reasons[static_cast<size_t>(scheduler::HostWait::kPaused)].first,
            absl::InfiniteFuture());
}

TEST(AnswerWireTest, WhatAnOlderProgramSaysIsNotGuessed) {
  v1::ReadResponse exported;
  exported.set_cut(1);
  exported.set_last(true);
  EXPECT_TRUE(absl::IsUnimplemented(FromWire(exported).status()));
  EXPECT_TRUE(absl::IsUnimplemented(FromWire(v1::ExplainHostResponse()).status()));
}

}  // namespace
}  // namespace opic::rpc

#include "scheduler/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opic::scheduler {
namespace {

using testing::HasSubstr;

TEST(SchedulerMetricsTest, WhatStatusTells) {
  SchedulerStatus status;
  status.queued = 5;
  status.orders = 7;
  status.exhausted = true;
  const std::string text = MetricsText(status, absl::Milliseconds(1500));
  EXPECT_THAT(text, HasSubstr("# TYPE opic_scheduler_queued_pages gauge\n"
                              "opic_scheduler_queued_pages 5\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE opic_scheduler_orders_total counter\n"
                              "opic_scheduler_orders_total 7\n"));
  EXPECT_THAT(text, HasSubstr("\nopic_scheduler_exhausted 1\n"));
  EXPECT_THAT(text, HasSubstr("\nopic_scheduler_cpu_seconds_total 1.5\n"));
}

}  // namespace
}  // namespace opic::scheduler

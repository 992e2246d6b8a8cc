#include "cli/budget_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/crawl_flags.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

TEST(BudgetFlagsTest, WithoutAnyThereIsNoLimit) {
  const auto options = BudgetFlags().Options();
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->host_pages + options->host_bytes, 0u);
  EXPECT_EQ(options->domain_pages + options->domain_bytes, 0u);
}

TEST(BudgetFlagsTest, EachIsAnOptionOfTheCrawl) {
  CrawlFlags flags;
  flags.budgets = {.host_pages = 1, .domain_pages = 2, .host_bytes = "3K", .domain_bytes = "4M"};
  const auto options = flags.NodeOptions();
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->budgets.host_pages, 1u);
  EXPECT_EQ(options->budgets.domain_pages, 2u);
  EXPECT_EQ(options->budgets.host_bytes, 3u << 10);
  EXPECT_EQ(options->budgets.domain_bytes, 4u << 20);
}

TEST(BudgetFlagsTest, WhatIsNoSizeNamesTheFlag) {
  EXPECT_THAT(std::string(BudgetFlags{.host_bytes = "x"}.Options().status().message()),
              HasSubstr("--host-bytes"));
  EXPECT_THAT(std::string(BudgetFlags{.domain_bytes = "-1"}.Options().status().message()),
              HasSubstr("--domain-bytes"));
}

}  // namespace
}  // namespace opic::cli

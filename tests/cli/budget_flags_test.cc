#include "cli/budget_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/crawl_flags.h"
#include "tests/cli/program_run.h"

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

class HostsFileFlagTest : public InOwnFolder {};

TEST_F(HostsFileFlagTest, TheFileIsReadForEachStart) {
  CrawlFlags flags;
  EXPECT_EQ(flags.NodeOptions()->hosts_file, nullptr);
  flags.budgets.hosts_file = Write("hosts", "host a.test block\n");
  ASSERT_TRUE(flags.NodeOptions().ok());
  EXPECT_EQ(flags.NodeOptions()->hosts_file->rules.size(), 1u);
  Write("hosts", "# nothing\n");
  EXPECT_EQ(flags.NodeOptions()->hosts_file->rules.size(), 0u);
}

TEST_F(HostsFileFlagTest, AWrongLineIsAWrongSettingAlsoFromASettingsFile) {
  const std::string hosts = Write("hosts", "host a.test block\nhost b.test dealy 5s\n");
  const std::string settings = Write("crawl.conf", "hosts-file = " + hosts + "\n");
  const std::vector<std::vector<std::string>> given = {{"--hosts-file", hosts},
                                                       {"--config", settings}};
  for (const std::vector<std::string>& words : given) {
    std::vector<std::string> all = {"crawl", "http://127.0.0.1/", "--data", Path("data"),
                                    "--check-config"};
    all.insert(all.end(), words.begin(), words.end());
    const Said said = Opic(all);
    EXPECT_EQ(said.code, 2) << said.error;
    EXPECT_THAT(said.error, HasSubstr("--hosts-file " + hosts + ", line 2: \"dealy\""));
    EXPECT_THAT(said.error, HasSubstr("did you mean \"delay\"?"));
  }
}

}  // namespace
}  // namespace opic::cli

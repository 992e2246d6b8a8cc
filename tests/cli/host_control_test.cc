#include "cli/host_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opic::cli {
namespace {

using testing::HasSubstr;

TEST(HostControlTest, ABudgetIsGivenToEachHost) {
  const auto changes = HostChanges(
      "host", {.hosts = {"a.test", "b.test"}, .domain = true, .pages = 100, .bytes = "2K"});
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->size(), 2u);
  EXPECT_EQ((*changes)[1].host, "b.test");
  for (const node::HostChange& change : *changes) {
    EXPECT_TRUE(change.domain);
    EXPECT_EQ(change.pages, 100u);
    EXPECT_EQ(change.bytes, 2048u);
    EXPECT_FALSE(change.delay);
    EXPECT_FALSE(change.clear_budget);
  }
}

TEST(HostControlTest, ClearIsForDelayAndBudget) {
  const auto changes = HostChanges("host", {.hosts = {"a.test"}, .clear = true});
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_TRUE(changes->front().clear_delay);
  EXPECT_TRUE(changes->front().clear_budget);
  EXPECT_FALSE(changes->front().blocked);
}

TEST(HostControlTest, WhatIsMissingOrWrongIsNamed) {
  const std::vector<std::pair<HostControl, const char*>> cases = {
      {{.hosts = {"a.test"}}, "--pages"},
      {{.hosts = {"a.test"}, .pages = 1, .clear = true}, "--clear"},
      {{.hosts = {"a.test"}, .bytes = "many"}, "--bytes: \"many\""},
      {{.pages = 1}, "at least one host"}};
  for (const auto& [flags, part] : cases) {
    const absl::Status status = HostChanges("host", flags).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << part;
    EXPECT_THAT(std::string(status.message()), HasSubstr(part));
  }
}

}  // namespace
}  // namespace opic::cli

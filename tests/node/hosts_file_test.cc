#include "node/hosts_file.h"

#include <gtest/gtest.h>

#include "node/host_rule_book.h"
#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

using schedule::HostRule;

TEST(RulesTogetherTest, WhatAnOperatorHasGivenWinsNumberByNumber) {
  const HostRule given{.name = "a.test", .delay = absl::Seconds(9), .bytes = 7};
  const HostRule file{.name = "a.test", .delay = absl::Seconds(1), .pages = 5, .bytes = 6};
  const HostRule both = Together(given, file);
  EXPECT_EQ(both.delay, absl::Seconds(9));
  EXPECT_EQ(both.pages, 5u);
  EXPECT_EQ(both.bytes, 7u);
  EXPECT_FALSE(both.blocked);
  EXPECT_EQ(both.from_file, HostRule::kPages);
}

TEST(RulesTogetherTest, ABlockByEitherHolds) {
  const HostRule blocked{.name = "a.test", .blocked = true}, not_blocked{.name = "a.test"};
  EXPECT_EQ(Together(not_blocked, blocked).from_file, HostRule::kBlock);
  EXPECT_TRUE(Together(not_blocked, blocked).blocked);
  EXPECT_TRUE(Together(blocked, not_blocked).blocked);
  EXPECT_EQ(Together(blocked, not_blocked).from_file, 0);
  EXPECT_EQ(Together(blocked, blocked).from_file, HostRule::kBlock) << "`unblock` does not end it";
}

TEST(RulesTogetherTest, AHostIsNotTheDomainOfItsName) {
  const std::vector<HostRule> rules = RulesTogether(
      {{.name = "b.test", .blocked = true}},
      {{.name = "b.test", .domain = true, .pages = 5}, {.name = "a.test", .pages = 3}});
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_TRUE(rules[0].domain);
  EXPECT_EQ(rules[0].pages, 5u);
  EXPECT_FALSE(rules[0].blocked);
  EXPECT_EQ(rules[1].name, "a.test");
  EXPECT_EQ(rules[2].name, "b.test");
  EXPECT_FALSE(rules[2].pages);
}

TEST(DifferencesTest, CountHostsDomainsAndGroups) {
  HostsFile one, other;
  EXPECT_EQ(Differences(one, other), 0u);
  one.rules = {{.name = "a.test", .blocked = true}, {.name = "b.test", .pages = 1}};
  other.rules = {{.name = "a.test", .blocked = true}, {.name = "b.test", .pages = 2}};
  EXPECT_EQ(Differences(one, other), 1u);
  other.rules[1] = {.name = "a.test", .domain = true, .blocked = true};
  EXPECT_EQ(Differences(one, other), 2u) << "one is gone, one is new";
  other = one;
  other.groups["farm"] = {5, std::nullopt};
  EXPECT_EQ(Differences(one, other), 1u);
  one.groups["farm"] = {6, std::nullopt};
  EXPECT_EQ(Differences(one, other), 1u);
  other = one;
  one.groups["farm"].delay = absl::Seconds(2);
  EXPECT_EQ(Differences(one, other), 1u);
  other = one;
  other.members[{false, "a.test"}] = "farm";
  EXPECT_EQ(Differences(one, other), 1u);
  other = one;
  other.shares[{true, "a.test"}] = 0.5;
  EXPECT_EQ(Differences(one, other), 1u);
}

TEST(PacedGroupsTest, AGroupThatSaysHowManyAtOnceIsToldToTheScheduler) {
  HostsFile file;
  file.groups["farm"] = {.parallel = 8};
  file.groups["budget"] = {.pages = 8};
  file.members = {{{false, "a.test"}, "farm"}, {{false, "b.test"}, "budget"}};
  const schedule::HostRules rules(
      {{.name = "www.c.test", .parallel = 2}, {.name = "c.test", .domain = true, .parallel = 4}},
      file.PacedGroups());
  EXPECT_EQ(rules.ParallelOf("a.test"), 8u);
  EXPECT_EQ(rules.ParallelOf("b.test"), std::nullopt);
  EXPECT_EQ(rules.ParallelOf("www.c.test"), 2u) << "the nearer one";
  EXPECT_EQ(rules.ParallelOf("ftp.c.test"), 4u);
}

TEST(RulesTogetherTest, HowManyAtOnceIsTheFiles) {
  const HostRule both =
      Together({.name = "a.test", .delay = absl::Seconds(9)}, {.name = "a.test", .parallel = 8});
  EXPECT_EQ(both.parallel, 8u);
  EXPECT_EQ(both.from_file, HostRule::kParallel);
  EXPECT_EQ(InWords(both),
            "a.test is not blocked, with a delay of 9s, with up to 8 requests at once");
}

TEST(PacedGroupsTest, AHostOrDomainWithItsOwnShareIsAGroupOfItsOwn) {
  HostsFile file;
  file.groups["farm"] = {.share = 0.25};
  file.members[{false, "c.test"}] = "farm";
  file.shares = {{{false, "a.test"}, 0.05}, {{true, "a.test"}, 0.5}};
  const std::vector<schedule::HostGroup> groups = file.PacedGroups();
  ASSERT_EQ(groups.size(), 3u);
  const schedule::HostRules rules({}, groups);
  EXPECT_EQ(rules.GroupOf("a.test")->share, 0.05) << "the nearer one";
  EXPECT_EQ(rules.GroupOf("www.a.test")->share, 0.5);
  EXPECT_EQ(rules.GroupOf("www.a.test"), rules.GroupOf("ftp.a.test"));
  EXPECT_EQ(rules.GroupOf("c.test")->name, "farm");
  EXPECT_EQ(schedule::WithOwnShare(rules.GroupOf("a.test")->name), "a.test");
  EXPECT_EQ(schedule::WithOwnShare(rules.GroupOf("www.a.test")->name), "the domain a.test");
  EXPECT_EQ(schedule::WithOwnShare("farm"), "");
  EXPECT_EQ(file.GroupOf("a.test", "a.test"), nullptr) << "budgets know of no such group";
}

// The book of operators' rules, with a file beside it.
class HostsFileTest : public testing::Test {
 protected:
  void SetUp() override { Reopen(); }
  void Reopen() {
    auto opened = HostRuleBook::Open(*store_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    book_ = *std::move(opened);
  }
  absl::Status Use(std::vector<HostRule> rules) {
    return book_->UseFile(std::make_shared<const HostsFile>(
        HostsFile{.path = "/etc/hosts.opic", .read = now_, .rules = std::move(rules)}));
  }
  absl::Status Change(const HostChange& change) {
    return book_->Change({change}, "anna", now_).status();
  }
  bool Blocks(const std::string& host) { return book_->rules()->BlockOf(host) != nullptr; }

  const absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<HostRuleBook> book_;
};

TEST_F(HostsFileTest, HoldsBesideWhatOperatorsGiveAndIsNotRemembered) {
  ASSERT_TRUE(Change({.host = "a.test", .blocked = true}).ok());
  ASSERT_TRUE(Use({{.name = "b.test", .blocked = true}}).ok());
  EXPECT_TRUE(Blocks("a.test"));
  EXPECT_TRUE(Blocks("b.test"));
  EXPECT_EQ(book_->list().size(), 2u) << "the scheduler is told both";
  EXPECT_EQ(book_->kept().size(), 1u) << "other nodes have files of their own";
  ASSERT_TRUE(Change({.host = "c.test", .blocked = true}).ok());
  EXPECT_TRUE(Blocks("b.test")) << "a change leaves the file in force";
  Reopen();
  EXPECT_TRUE(Blocks("a.test"));
  EXPECT_FALSE(Blocks("b.test"));
}

TEST_F(HostsFileTest, ANewOneTakesThePlaceOfTheLast) {
  ASSERT_TRUE(Use({{.name = "a.test", .blocked = true}}).ok());
  ASSERT_TRUE(Use({{.name = "b.test", .delay = absl::Seconds(9)}}).ok());
  EXPECT_FALSE(Blocks("a.test"));
  EXPECT_EQ(book_->rules()->DelayOf("b.test"), absl::Seconds(9));
  ASSERT_TRUE(book_->UseFile(nullptr).ok());
  EXPECT_TRUE(book_->rules()->empty());
}

TEST_F(HostsFileTest, WhatIsClearedIsTheFilesAgain) {
  ASSERT_TRUE(Use({{.name = "a.test", .delay = absl::Seconds(1)}}).ok());
  ASSERT_TRUE(Change({.host = "a.test", .delay = absl::Seconds(9)}).ok());
  EXPECT_EQ(book_->rules()->DelayOf("a.test"), absl::Seconds(9));
  ASSERT_TRUE(Change({.host = "a.test", .clear_delay = true}).ok());
  EXPECT_EQ(book_->rules()->DelayOf("a.test"), absl::Seconds(1));
}

TEST_F(HostsFileTest, WhatItBlocksIsNotUnblockedByACommand) {
  ASSERT_TRUE(Use({{.name = "a.test", .blocked = true},
                   {.name = "example.org", .domain = true, .blocked = true}})
                  .ok());
  ASSERT_TRUE(Change({.host = "a.test", .blocked = true}).ok());
  for (const HostChange& change :
       {HostChange{.host = "a.test", .blocked = false},
        HostChange{.host = "example.org", .domain = true, .blocked = false},
        HostChange{.host = "www.example.org", .blocked = false}}) {
    const absl::Status refused = Change(change);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << change.host << ": " << refused;
    EXPECT_NE(refused.message().find("/etc/hosts.opic"), absl::string_view::npos) << refused;
  }
  ASSERT_TRUE(Use({}).ok());
  EXPECT_TRUE(Blocks("a.test")) << "an operator has blocked it, too";
  EXPECT_TRUE(Change({.host = "a.test", .blocked = false}).ok());
}

TEST_F(HostsFileTest, BothTogetherHaveNotMoreRulesThanTheMost) {
  std::vector<HostRule> rules;
  for (size_t i = 0; i < schedule::kHostRulesMax; ++i)
    rules.push_back({.name = "h" + std::to_string(i) + ".test", .blocked = true});
  ASSERT_TRUE(Change({.host = "h0.test", .delay = absl::Seconds(1)}).ok());
  ASSERT_TRUE(Use(rules).ok()) << "a rule for the same host is one";
  const absl::Status refused = Change({.host = "more.test", .blocked = true});
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_NE(refused.message().find("/etc/hosts.opic"), absl::string_view::npos) << refused;
  EXPECT_TRUE(absl::IsFailedPrecondition(
      book_->Adopt({{{.name = "z.test", .blocked = true}, now_, "bert"}}, now_).status()));
  rules.push_back({.name = "one.test", .blocked = true});
  EXPECT_TRUE(absl::IsFailedPrecondition(Use(rules)));
  EXPECT_TRUE(Blocks("h9.test")) << "the file before holds";
  EXPECT_FALSE(Blocks("one.test"));
}

}  // namespace
}  // namespace opic::node

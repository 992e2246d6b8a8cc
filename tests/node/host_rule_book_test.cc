#include "node/host_rule_book.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

class HostRuleBookTest : public testing::Test {
 protected:
  void SetUp() override { Reopen(); }
  void Reopen() {
    auto opened = HostRuleBook::Open(*store_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    book_ = *std::move(opened);
  }
  absl::StatusOr<std::vector<KeptRule>> Change(std::vector<HostChange> changes) {
    return book_->Change(changes, "anna", now_);
  }
  static std::string LongName(size_t bytes) {
    std::string name;
    while (name.size() + 2 < bytes) name += "a.";
    return name + std::string(bytes - name.size(), 'b');
  }
  bool Blocks(const std::string& host) { return book_->rules()->BlockOf(host) != nullptr; }

  const absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<HostRuleBook> book_;
};

TEST_F(HostRuleBookTest, ARuleOutlivesItsProcess) {
  ASSERT_TRUE(Change({{.host = "a.test", .blocked = true},
                      {.host = "b.test", .domain = true, .delay = absl::Seconds(9)}})
                  .ok());
  Reopen();
  EXPECT_TRUE(Blocks("a.test"));
  EXPECT_EQ(book_->rules()->DelayOf("www.b.test"), absl::Seconds(9));
  const std::vector<KeptRule> kept = book_->kept();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_TRUE(kept[0].rule.domain) << "domains first";
  EXPECT_EQ(kept[1].rule, (schedule::HostRule{.name = "a.test", .blocked = true}));
  EXPECT_EQ(kept[1].since, now_);
  EXPECT_EQ(kept[1].by, "anna");
}

TEST_F(HostRuleBookTest, AChangeLeavesTheOtherFieldsAsTheyAre) {
  ASSERT_TRUE(Change({{.host = "a.test", .blocked = true}}).ok());
  ASSERT_TRUE(Change({{.host = "a.test", .delay = absl::Seconds(9)}}).ok());
  EXPECT_TRUE(Blocks("a.test"));
  ASSERT_TRUE(Change({{.host = "a.test", .blocked = false}}).ok());
  EXPECT_FALSE(Blocks("a.test"));
  EXPECT_EQ(book_->rules()->DelayOf("a.test"), absl::Seconds(9));
}

TEST_F(HostRuleBookTest, ARuleThatSaysNothingIsForgotten) {
  ASSERT_TRUE(Change({{.host = "a.test", .blocked = true, .delay = absl::Seconds(9)}}).ok());
  const auto gone = Change({{.host = "a.test", .blocked = false, .clear_delay = true}});
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(InWords(gone->front().rule), "a.test is not blocked");
  Reopen();
  EXPECT_TRUE(book_->kept().empty());
}

TEST_F(HostRuleBookTest, TheSameAgainKeepsItsDateAndAuthor) {
  ASSERT_TRUE(Change({{.host = "a.test", .blocked = true}}).ok());
  const auto again =
      book_->Change({{.host = "a.test", .blocked = true}}, "bert", now_ + absl::Hours(1));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->front().since, now_);
  EXPECT_EQ(again->front().by, "anna");
}

TEST_F(HostRuleBookTest, PeopleMayPasteAUrl) {
  ASSERT_TRUE(Change({{.host = "https://WWW.A.test:8080/annoyed?x=1", .blocked = true},
                      {.host = "bücher.test", .blocked = true},
                      {.host = "c.test.", .blocked = true},
                      {.host = "[::1]", .blocked = true},
                      {.host = "2001:DB8::7", .blocked = true}})
                  .ok());
  for (const char* host :
       {"www.a.test", "xn--bcher-kva.test", "c.test", "c.test.", "[::1]", "[2001:db8::7]"})
    EXPECT_TRUE(Blocks(host)) << host;
  EXPECT_FALSE(Blocks("a.test"));
}

TEST_F(HostRuleBookTest, WhatIsNoHostIsRefusedAndNothingTaken) {
  for (const char* bad : {"", "a b", "ftp://a.test/", "a.test:x", "http://", ".", "300.1.1.1"}) {
    const auto refused =
        Change({{.host = "good.test", .blocked = true}, {.host = bad, .blocked = true}});
    EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << bad << ": " << refused.status();
  }
  EXPECT_FALSE(Blocks("good.test"));
}

// They were taken, and matched nothing.
TEST_F(HostRuleBookTest, PatternsRangesAndPathsAreRefusedWithWhatToGiveInstead) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"*.a.test", "--domain a.test"},         {"http://*.a.test/", "--domain a.test"},
      {"www.*.test", "each host by its name"}, {"10.0.0.0/8", "range of addresses"},
      {"2001:db8::/32", "range of addresses"}, {"a.test/path", "give \"a.test\""},
      {"a.test?x=1", "give \"a.test\""},       {"/path", "www.example.org"}};
  for (const auto& [bad, instead] : cases) {
    for (const bool blocked : {true, false}) {
      const absl::Status refused = Change({{.host = bad, .blocked = blocked}}).status();
      EXPECT_TRUE(absl::IsInvalidArgument(refused)) << bad << ": " << refused;
      EXPECT_NE(refused.message().find(instead), absl::string_view::npos) << refused;
    }
  }
  EXPECT_TRUE(book_->kept().empty());
  EXPECT_TRUE(Change({{.host = "a.test/", .blocked = true}}).ok());
  EXPECT_TRUE(Change({{.host = "http://b.test/?x=*", .blocked = true}}).ok());
}

TEST_F(HostRuleBookTest, APatternOfAnEarlierBuildCanBeLifted) {
  const KeptRule pattern{{.name = "*.a.test", .blocked = true}, now_, "bert"};
  ASSERT_TRUE(book_->Adopt({pattern}, now_).ok()) << "it must not keep the other rules away";
  EXPECT_FALSE(Change({{.host = "*.a.test", .blocked = true}}).ok());
  EXPECT_TRUE(Change({{.host = "*.a.test", .blocked = false}}).ok());
  EXPECT_TRUE(book_->kept().empty());
}

TEST_F(HostRuleBookTest, ADomainIsOneThatSomebodyCanOwn) {
  const auto blocked = [this](const char* name) {
    return Change({{.host = name, .domain = true, .blocked = true}}).status();
  };
  EXPECT_TRUE(blocked("example.co.uk").ok());
  EXPECT_TRUE(Blocks("www.example.co.uk"));
  for (const char* none : {"co.uk", "com", "127.0.0.1", "[::1]", "localhost", "www.example.org"})
    EXPECT_TRUE(absl::IsInvalidArgument(blocked(none))) << none;
  EXPECT_NE(blocked("www.example.org").message().find("registrable domain example.org"),
            absl::string_view::npos);
}

TEST_F(HostRuleBookTest, AHostBlockedWithItsDomainIsNotUnblockedAlone) {
  ASSERT_TRUE(Change({{.host = "example.org", .domain = true, .blocked = true}}).ok());
  const auto refused = Change({{.host = "www.example.org", .blocked = false}});
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status()));
  EXPECT_NE(refused.status().message().find("--domain example.org"), absl::string_view::npos);
  EXPECT_TRUE(Change({{.host = "www.example.org", .blocked = false},
                      {.host = "example.org", .domain = true, .blocked = false}})
                  .ok())
      << "together with its domain";
}

TEST_F(HostRuleBookTest, DelaysHaveBounds) {
  for (const absl::Duration delay : {absl::Seconds(-1), absl::Hours(25), absl::InfiniteDuration()})
    EXPECT_FALSE(Change({{.host = "a.test", .delay = delay}}).ok());
}

TEST_F(HostRuleBookTest, ThereAreNotMoreRulesThanTheMost) {
  std::vector<HostChange> changes;
  for (size_t i = 0; i <= schedule::kHostRulesMax; ++i)
    changes.push_back({.host = "h" + std::to_string(i) + ".test", .blocked = true});
  EXPECT_TRUE(absl::IsFailedPrecondition(Change(changes).status()));
  changes.pop_back();
  EXPECT_TRUE(Change(changes).ok());
}

TEST_F(HostRuleBookTest, WhatOtherNodesHaveIsTakenUpAndOutlivesItsProcess) {
  ASSERT_TRUE(Change({{.host = "a.test", .blocked = true}}).ok());
  const std::vector<KeptRule> told = {
      {{.name = "a.test", .blocked = true}, now_ + absl::Hours(1), "bert"},
      {{.name = "b.test", .domain = true, .blocked = true}, now_ - absl::Hours(1), "bert"},
      {{.name = "c.test"}, now_, "bert"}};
  const auto taken = book_->Adopt(told, now_);
  ASSERT_TRUE(taken.ok()) << taken.status();
  ASSERT_EQ(taken->size(), 1u) << "the others are known, or say nothing";
  EXPECT_TRUE(book_->Adopt(told, now_)->empty());
  Reopen();
  EXPECT_TRUE(Blocks("www.b.test"));
  const std::vector<KeptRule> kept = book_->kept();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].by, "bert");
  EXPECT_EQ(kept[0].since, now_ - absl::Hours(1));
  EXPECT_EQ(kept[1].by, "anna");
  EXPECT_EQ(kept[1].since, now_);
}

// A node that came later was given a delay with all others, and did not know the block.
TEST_F(HostRuleBookTest, ABlockIsNotLiftedByANewerRuleThatDoesNotKnowIt) {
  const KeptRule block{
      {.name = "a.test", .blocked = true, .delay = absl::Seconds(2)}, now_, "anna"};
  const KeptRule delay{
      {.name = "a.test", .delay = absl::Seconds(9)}, now_ + absl::Seconds(1), "bert"};
  const KeptRule only_blocked{{.name = "a.test", .blocked = true}, now_ + absl::Hours(1), "carl"};
  for (const auto& all : {UnionOf({block}, {delay}), UnionOf({delay}, {block})}) {
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].rule.blocked);
    EXPECT_EQ(all[0].rule.delay, absl::Seconds(9)) << "the newer one";
    EXPECT_EQ(all[0].by, "bert");
  }
  EXPECT_EQ(BothOf(block, only_blocked).rule.delay, absl::Seconds(2));
  ASSERT_TRUE(book_->Adopt({delay}, now_).ok());
  ASSERT_TRUE(book_->Adopt({block}, now_).ok());
  EXPECT_TRUE(Blocks("a.test"));
}

TEST_F(HostRuleBookTest, OfRulesThatNoNodeWouldHaveNoneIsTaken) {
  const KeptRule good{{.name = "good.test", .blocked = true}, now_, "bert"};
  const std::string longest = LongName(253), longer = LongName(254);
  for (const char* bad : {"", "A.test", "http://a.test/", "a.test.", "a b", longer.c_str()}) {
    const auto refused = book_->Adopt({good, {{.name = bad, .blocked = true}, now_, "bert"}}, now_);
    EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << bad;
  }
  for (const absl::Duration delay : {absl::Hours(25), absl::Microseconds(-1)})
    EXPECT_FALSE(book_->Adopt({{{.name = "a.test", .delay = delay}, now_, ""}}, now_).ok());
  std::vector<KeptRule> many;
  for (size_t i = 0; i <= schedule::kHostRulesMax; ++i)
    many.push_back({{.name = "h" + std::to_string(i) + ".test", .blocked = true}, now_, "bert"});
  EXPECT_TRUE(absl::IsFailedPrecondition(book_->Adopt(many, now_).status()));
  EXPECT_TRUE(book_->kept().empty());
  EXPECT_TRUE(book_->Adopt({{{.name = longest, .blocked = true}, now_, "bert"}}, now_).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Change({{.host = longer, .blocked = true}}).status()));
}

TEST_F(HostRuleBookTest, ADomainToldByAPeerIsNoAddressAndHasTwoLabels) {
  for (const char* bad : {"com", "localhost", "127.0.0.9", "[::1]"}) {
    const auto refused =
        book_->Adopt({{{.name = bad, .domain = true, .blocked = true}, now_, "bert"}}, now_);
    EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << bad;
  }
}

TEST_F(HostRuleBookTest, ARuleToldByAPeerIsNotOfTheFarFuture) {
  const auto told = [this](absl::Duration ahead) {
    return book_->Adopt({{{.name = "a.test", .blocked = true}, now_ + ahead, "bert"}}, now_)
        .status();
  };
  EXPECT_TRUE(absl::IsInvalidArgument(told(absl::Hours(24) + absl::Seconds(1))));
  EXPECT_TRUE(told(absl::Hours(24)).ok());
}

// A node whose rules are no UTF-8 can answer nobody who asks for them; what is printed is printed
// as it is.
TEST_F(HostRuleBookTest, AnAuthorToldByAPeerIsText) {
  const auto told = [this](const std::string& by) {
    return book_->Adopt({{{.name = "a.test", .blocked = true}, now_, by}}, now_).status();
  };
  for (const std::string bad : {"\xff", "anna\xc3", "anna\n", "\x1b[31m", "\x7f", "\xc2\x9b"})
    EXPECT_TRUE(absl::IsInvalidArgument(told(bad))) << bad;
  EXPECT_TRUE(absl::IsInvalidArgument(told(std::string(257, 'a'))));
  EXPECT_TRUE(book_->kept().empty());
  const std::string most = std::string(252, 'a') + "\xc2\xa0\xc3\xa4";
  ASSERT_TRUE(told(most).ok());
  EXPECT_EQ(book_->kept().front().by, most);
}

TEST_F(HostRuleBookTest, AnAuthorIsCutAtACharacterAndMadeText) {
  const auto author = [this](const std::string& by) {
    EXPECT_TRUE(Change({{.host = "a.test", .blocked = false}}).ok());
    EXPECT_TRUE(book_->Change({{.host = "a.test", .blocked = true}}, by, now_).ok());
    return book_->kept().front().by;
  };
  EXPECT_EQ(author(std::string(255, 'a') + "\xc3\xa4"), std::string(255, 'a'));
  EXPECT_EQ(author("a\nb\x1b\xc2\x9b"), "a?b??");
  EXPECT_EQ(author("a\xff"), "a\xef\xbf\xbd");
}

// As an earlier build has cut it.
TEST_F(HostRuleBookTest, AnAuthorOfTheFolderThatIsNoTextIsMadeText) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "host_rule.host.a.test",
            std::string("\x05\x04"
                        "ann\xc3"
                        "\x01\x01",
                        8));
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  Reopen();
  ASSERT_EQ(book_->kept().size(), 1u);
  EXPECT_EQ(book_->kept().front().by, "ann\xef\xbf\xbd");
}

// Other releases have other lists of public suffixes.
TEST_F(HostRuleBookTest, WhateverIsInTheBookCanBeLifted) {
  for (const std::string name : {"co.uk", "www.example.org"}) {
    const KeptRule told{
        {.name = name, .domain = true, .blocked = true, .delay = absl::Seconds(9)}, now_, "bert"};
    ASSERT_TRUE(book_->Adopt({told}, now_).ok());
    const auto alone = Change({{.host = "some." + name, .blocked = false}});
    EXPECT_TRUE(absl::IsFailedPrecondition(alone.status())) << alone.status();
    EXPECT_NE(alone.status().message().find("--domain " + name), absl::string_view::npos);
    ASSERT_TRUE(Change({{.host = name, .domain = true, .blocked = false}}).ok());
    EXPECT_FALSE(Blocks("some." + name));
    ASSERT_TRUE(Change({{.host = name, .domain = true, .clear_delay = true}}).ok());
    EXPECT_TRUE(book_->kept().empty());
    EXPECT_TRUE(Change({{.host = name, .domain = true, .blocked = false}}).ok())
        << "as on the nodes of a cluster that have no such rule";
    EXPECT_FALSE(Change({{.host = name, .domain = true, .delay = absl::Seconds(1)}}).ok());
  }
}

TEST_F(HostRuleBookTest, ADomainBlockedWithOneAboveItIsNotUnblockedAlone) {
  ASSERT_TRUE(Change({{.host = "example.org", .domain = true, .blocked = true}}).ok());
  const auto refused = Change({{.host = "www.example.org", .domain = true, .blocked = false}});
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
}

TEST_F(HostRuleBookTest, ADamagedRuleIsToldAtTheStart) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "host_rule.host.a.test", "\xff");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  const auto opened = HostRuleBook::Open(*store_);
  EXPECT_TRUE(absl::IsDataLoss(opened.status()));
  EXPECT_NE(opened.status().message().find("a.test"), absl::string_view::npos);
}

// Above 2^63 microseconds it was a delay below 0.
TEST_F(HostRuleBookTest, ADelayOutOfBoundsIsDamage) {
  const auto opened = [this](uint64_t microseconds) {
    std::string row(
        "\x05\x04"
        "anna"
        "\x02",
        7);
    base::AppendVarint(row, microseconds);
    store::Batch batch;
    batch.Put(store::Table::kMeta, "host_rule.host.a.test", row);
    EXPECT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
    return HostRuleBook::Open(*store_).status();
  };
  const auto most = static_cast<uint64_t>(absl::ToInt64Microseconds(HostChange::kDelayMax));
  EXPECT_TRUE(opened(most).ok());
  EXPECT_TRUE(absl::IsDataLoss(opened(most + 1)));
  EXPECT_TRUE(absl::IsDataLoss(opened((uint64_t{1} << 63) + 1)));
  EXPECT_TRUE(absl::IsDataLoss(opened(UINT64_MAX)));
}

TEST_F(HostRuleBookTest, ABudgetOutlivesItsProcessAndIsTakenBackApart) {
  ASSERT_TRUE(Change({{.host = "a.test", .delay = absl::Seconds(9), .pages = 100, .bytes = 0},
                      {.host = "b.test", .domain = true, .bytes = schedule::kBudgetMax}})
                  .ok());
  Reopen();
  const schedule::HostRule* a = book_->rules()->Find("a.test", false);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->pages, 100u);
  EXPECT_EQ(a->bytes, 0u) << "no limit, which is not none given";
  EXPECT_EQ(
      InWords(*a),
      "a.test is not blocked, with a delay of 9s, at most 100 pages, without a limit of bytes");
  const schedule::HostRule* b = book_->rules()->Find("b.test", true);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->pages, std::nullopt);
  EXPECT_EQ(b->bytes, schedule::kBudgetMax);
  ASSERT_TRUE(Change({{.host = "a.test", .clear_budget = true}}).ok());
  EXPECT_EQ(book_->rules()->Find("a.test", false)->pages, std::nullopt);
  EXPECT_EQ(book_->rules()->DelayOf("a.test"), absl::Seconds(9));
  ASSERT_TRUE(Change({{.host = "b.test", .domain = true, .clear_budget = true}}).ok());
  EXPECT_EQ(book_->rules()->Find("b.test", true), nullptr) << "it says nothing";
}

TEST_F(HostRuleBookTest, ABudgetOutOfBoundsIsRefusedWithItsValue) {
  constexpr uint64_t kTooMany = schedule::kBudgetMax + 1;
  const std::vector<HostChange> cases = {{.host = "a.test", .pages = kTooMany},
                                         {.host = "a.test", .bytes = kTooMany}};
  for (const HostChange& change : cases) {
    const absl::Status refused = Change({change}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_NE(refused.message().find("1152921504606846977"), absl::string_view::npos) << refused;
  }
  EXPECT_FALSE(book_->Adopt({{{.name = "a.test", .pages = kTooMany}, now_, "bert"}}, now_).ok());
  EXPECT_FALSE(book_->Adopt({{{.name = "a.test", .bytes = kTooMany}, now_, "bert"}}, now_).ok());
  EXPECT_TRUE(book_->kept().empty());
}

TEST_F(HostRuleBookTest, OfTwoBudgetsTheNewerHoldsAndNoneIsLost) {
  const KeptRule old{{.name = "a.test", .pages = 10, .bytes = 1000}, now_, "anna"};
  const KeptRule newer{{.name = "a.test", .pages = 20}, now_ + absl::Seconds(1), "bert"};
  for (const auto& all : {UnionOf({old}, {newer}), UnionOf({newer}, {old})}) {
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].rule.pages, 20u);
    EXPECT_EQ(all[0].rule.bytes, 1000u);
  }
  ASSERT_TRUE(book_->Adopt({newer}, now_).ok());
  ASSERT_TRUE(book_->Adopt({old}, now_).ok());
  Reopen();
  EXPECT_EQ(book_->rules()->Find("a.test", false)->pages, 20u);
}

TEST_F(HostRuleBookTest, ABudgetOutOfBoundsInTheFolderIsDamage) {
  for (const char tag : {'\x03', '\x04'}) {
    const auto opened = [&](uint64_t number) {
      std::string row(
          "\x05\x04"
          "anna",
          6);
      row += tag;
      base::AppendVarint(row, number);
      store::Batch batch;
      batch.Put(store::Table::kMeta, "host_rule.host.a.test", row);
      EXPECT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
      return HostRuleBook::Open(*store_).status();
    };
    EXPECT_TRUE(opened(schedule::kBudgetMax).ok());
    EXPECT_TRUE(absl::IsDataLoss(opened(schedule::kBudgetMax + 1)));
  }
}

TEST_F(HostRuleBookTest, AFieldOfALaterReleaseIsReadOver) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "host_rule.host.a.test",
            std::string("\x05\x04"
                        "anna"
                        "\x63\x07\x01\x01",
                        10));
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  Reopen();
  EXPECT_TRUE(Blocks("a.test"));
}

}  // namespace
}  // namespace opic::node

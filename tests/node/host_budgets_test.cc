#include "node/host_budgets.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "ledger/ledger.h"
#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

constexpr uint32_t kShards = 16;

class HostBudgetsTest : public testing::Test {
 protected:
  void SetUp() override { Reopen(); }
  // As the next process finds it.
  void Reopen() {
    budgets_.reset();
    auto book = HostRuleBook::Open(*store_);
    ASSERT_TRUE(book.ok()) << book.status();
    book_ = *std::move(book);
    charter_.shards = kShards;
    budgets_ = std::make_unique<HostBudgets>(options_, *book_, charter_, *store_);
  }
  void Rule(HostChange change) {
    const absl::Status ruled = book_->Change({change}, "anna", absl::UnixEpoch()).status();
    ASSERT_TRUE(ruled.ok()) << ruled;
  }
  // What Begin says of the next page of the host.
  std::string Begin(const std::string& host) {
    page_ = PageId(ShardId{0}, ++pages_);
    auto over = budgets_->Begin(page_, host);
    EXPECT_TRUE(over.ok()) << over.status();
    return over.value_or("");
  }
  std::string Over(const std::string& host) {
    auto over = budgets_->OverBudget(host);
    EXPECT_TRUE(over.ok()) << over.status();
    return over.value_or("");
  }
  void Write(const std::vector<std::pair<std::string, std::string>>& rows) {
    store::Batch batch;
    for (const auto& [key, row] : rows) batch.Put(store::Table::kMeta, key, row);
    ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  }
  // Fetches one page of the host, and records it.
  void Fetch(const std::string& host, uint64_t bytes = 100) {
    ASSERT_EQ(Begin(host), "");
    budgets_->Received(page_, bytes);
    Write(budgets_->Record({page_}));
    budgets_->Committed();
  }
  Spent SpentOf(const std::string& name, bool domain = false) {
    auto spent = budgets_->SpentOf(name, domain);
    EXPECT_TRUE(spent.ok()) << spent.status();
    return spent.value_or(Spent());
  }
  ShardId ShardOf(const std::string& host) const {
    return url::UrlHash(url::ShardBy::kHost, kShards).ShardOfHost(host);
  }

  BudgetOptions options_;
  ledger::Charter charter_;
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<HostRuleBook> book_;
  std::unique_ptr<HostBudgets> budgets_;
  PageId page_;
  uint64_t pages_ = 0;
};

TEST_F(HostBudgetsTest, WithoutABudgetNothingIsHeldAndAllIsCounted) {
  for (int i = 0; i < 5; ++i) Fetch("www.a.test");
  EXPECT_EQ(Over("www.a.test"), "");
  EXPECT_EQ(SpentOf("www.a.test"), (Spent{5, 500}));
  EXPECT_EQ(SpentOf("a.test", /*domain=*/true), (Spent{5, 500}));
  Rule({.host = "www.a.test", .pages = 5});
  EXPECT_EQ(Over("www.a.test"), "5 of 5 pages of www.a.test") << "what went before counts";
}

TEST_F(HostBudgetsTest, NoPageIsBegunPastTheBudget) {
  options_.host_pages = 3;
  Reopen();
  for (int i = 0; i < 3; ++i) Fetch("a.test");
  EXPECT_EQ(Over("a.test"), "3 of 3 pages of a.test");
  EXPECT_EQ(Begin("a.test"), "3 of 3 pages of a.test");
  EXPECT_EQ(Over("a.test."), "3 of 3 pages of a.test") << "a final dot does not evade it";
  EXPECT_EQ(Begin("b.test"), "");
}

// They are answered, and not recorded yet.
TEST_F(HostBudgetsTest, PagesUnderWayCount) {
  options_.host_pages = 2;
  options_.host_bytes = 150;
  Reopen();
  ASSERT_EQ(Begin("a.test"), "");
  const PageId first = page_;
  ASSERT_EQ(Begin("a.test"), "");
  EXPECT_EQ(Begin("a.test"), "2 of 2 pages of a.test");
  budgets_->GiveBack(first);
  EXPECT_EQ(Begin("a.test"), "");
  budgets_->GiveBack(page_);
  ASSERT_EQ(Begin("a.test"), "");
  budgets_->GiveBack(PageId(ShardId{0}, 2));
  budgets_->Received(page_, 150);
  EXPECT_EQ(Over("a.test"), "150 of 150 bytes of a.test");
  budgets_->GiveBack(page_);
  EXPECT_EQ(Over("a.test"), "");
  EXPECT_EQ(SpentOf("a.test"), Spent());
}

TEST_F(HostBudgetsTest, APageThatWasNotBegunCostsNothing) {
  const PageId known(ShardId{0}, 99);
  budgets_->Received(known, 1000);
  EXPECT_TRUE(budgets_->Record({known}).empty());
  budgets_->GiveBack(known);
  EXPECT_EQ(SpentOf("a.test"), Spent());
}

TEST_F(HostBudgetsTest, ADomainsBudgetIsForAllItsHostsTogether) {
  options_.domain_pages = 3;
  Reopen();
  for (const char* host : {"a.farm.test", "b.farm.test", "c.farm.test"}) Fetch(host);
  EXPECT_EQ(Over("d.farm.test"), "3 of 3 pages of the domain farm.test");
  EXPECT_EQ(Over("a.test"), "");
  Rule({.host = "farm.test", .domain = true, .pages = 4});
  EXPECT_EQ(Over("d.farm.test"), "") << "its own rule wins over the one of all";
  Rule({.host = "a.farm.test", .pages = 1});
  EXPECT_EQ(Over("a.farm.test"), "1 of 1 pages of a.farm.test") << "both must hold";
}

TEST_F(HostBudgetsTest, ARuleWinsOverTheBudgetOfAll) {
  options_.host_pages = 1;
  Reopen();
  Rule({.host = "more.test", .pages = 2});
  Rule({.host = "any.test", .pages = 0});
  for (const char* host : {"a.test", "more.test", "any.test"}) Fetch(host);
  EXPECT_NE(Over("a.test"), "");
  EXPECT_EQ(Over("more.test"), "");
  Fetch("more.test");
  EXPECT_NE(Over("more.test"), "");
  for (int i = 0; i < 5; ++i) Fetch("any.test");
  EXPECT_EQ(Over("any.test"), "") << "0 is no limit";
  Rule({.host = "any.test", .bytes = 600});
  EXPECT_EQ(Over("any.test"), "600 of 600 bytes of any.test");
  Rule({.host = "any.test", .clear_budget = true});
  EXPECT_EQ(Over("any.test"), "6 of 1 pages of any.test");
}

TEST_F(HostBudgetsTest, ABudgetOfTheHostsFileIsToldAsItsOwn) {
  options_.host_pages = 5;
  Reopen();
  HostsFile file;
  file.rules = {{.name = "a.test", .pages = 1}};
  ASSERT_TRUE(book_->UseFile(std::make_shared<const HostsFile>(file)).ok());
  Fetch("a.test");
  EXPECT_EQ(Over("a.test"), "1 of 1 pages of a.test, by the hosts file");
  Rule({.host = "a.test", .pages = 2});
  EXPECT_EQ(Over("a.test"), "");
  Fetch("a.test");
  EXPECT_EQ(Over("a.test"), "2 of 2 pages of a.test");
}

// The hosts of one owner: a.test, and all of b.test.
std::shared_ptr<const HostsFile> FarmOf(uint64_t pages, uint64_t bytes = 0) {
  HostsFile file;
  file.groups["farm"] = {pages, bytes};
  file.members = {{{false, "a.test"}, "farm"}, {{true, "b.test"}, "farm"}};
  return std::make_shared<const HostsFile>(std::move(file));
}

TEST_F(HostBudgetsTest, AGroupsBudgetIsForAllItsMembersTogetherAndOutlivesTheProcess) {
  ASSERT_TRUE(book_->UseFile(FarmOf(3)).ok());
  for (const char* host : {"a.test", "www.b.test.", "c.test", "ftp.b.test"}) Fetch(host);
  const std::string over = "3 of 3 pages of the group farm, by the hosts file";
  EXPECT_EQ(Begin("www.b.test"), over);
  EXPECT_EQ(Over("c.test"), "");
  Reopen();
  EXPECT_EQ(Over("a.test"), "") << "the file is not read yet";
  ASSERT_TRUE(book_->UseFile(FarmOf(3)).ok());
  EXPECT_EQ(Over("a.test"), over);
  ASSERT_TRUE(book_->UseFile(FarmOf(4)).ok());
  EXPECT_EQ(Begin("a.test"), "");
  EXPECT_EQ(Begin("b.test"), "4 of 4 pages of the group farm, by the hosts file") << "under way";
  budgets_->GiveBack(PageId(ShardId{0}, pages_ - 1));
  EXPECT_EQ(Begin("b.test"), "");
  ASSERT_TRUE(book_->UseFile(FarmOf(0, 300)).ok());
  EXPECT_EQ(Over("b.test"), "300 of 300 bytes of the group farm, by the hosts file");
  Rule({.host = "b.test", .pages = 1});
  EXPECT_EQ(Over("b.test"), "1 of 1 pages of b.test") << "a member's own budget holds besides";
}

TEST_F(HostBudgetsTest, AFileThatChangesWhileAPageIsUnderWayLosesNoCount) {
  ASSERT_TRUE(book_->UseFile(FarmOf(1)).ok());
  ASSERT_EQ(Begin("a.test"), "");
  const PageId under_way = page_;
  ASSERT_TRUE(book_->UseFile(nullptr).ok());
  ASSERT_EQ(Begin("a.test"), "") << "in no group now";
  const PageId later = page_;
  budgets_->Received(under_way, 10);
  budgets_->GiveBack(later);
  Write(budgets_->Record({under_way}));
  ASSERT_TRUE(book_->UseFile(FarmOf(1)).ok());
  EXPECT_EQ(Over("b.test"), "1 of 1 pages of the group farm, by the hosts file");
}

TEST_F(HostBudgetsTest, WhatIsRecordedOutlivesTheProcessAndWhatIsUnderWayDoesNot) {
  options_.host_pages = 3;
  Reopen();
  Fetch("a.test", 70);
  Fetch("a.test", 30);
  ASSERT_EQ(Begin("a.test"), "");
  Reopen();
  EXPECT_EQ(SpentOf("a.test"), (Spent{2, 100}));
  EXPECT_EQ(SpentOf("a.test", /*domain=*/true), (Spent{2, 100}));
  Fetch("a.test");
  EXPECT_EQ(Over("a.test"), "3 of 3 pages of a.test");
}

TEST_F(HostBudgetsTest, PagesOfOneGroupAreOneRowAHost) {
  std::vector<PageId> pages;
  for (const char* host : {"a.farm.test", "a.farm.test", "b.farm.test"}) {
    ASSERT_EQ(Begin(host), "");
    budgets_->Received(page_, 10);
    pages.push_back(page_);
  }
  const auto rows = budgets_->Record(pages);
  EXPECT_EQ(rows.size(), 3u) << "two hosts and their domain";
  Write(rows);
  Reopen();
  EXPECT_EQ(SpentOf("farm.test", /*domain=*/true), (Spent{3, 30}));
  EXPECT_EQ(SpentOf("a.farm.test"), (Spent{2, 20}));
}

TEST_F(HostBudgetsTest, TheRowsAreWrittenWithTheVisitsOfTheirGroup) {
  ledger::Charter charter;
  charter.cluster_id = 7;
  charter.shards = kShards;
  auto ledger = ledger::Ledger::Open({}, *store_, &charter);
  ASSERT_TRUE(ledger.ok()) << ledger.status();
  ASSERT_EQ(Begin("a.test"), "");
  (*ledger)->Seed({ledger::Link{page_, "http://a.test/"}});
  ASSERT_TRUE((*ledger)->Commit().ok());
  ledger::Visit visit{page_, ledger::VisitKind::kFetched, 200};
  ASSERT_TRUE((*ledger)->Record({visit}).ok());
  for (auto& [key, row] : budgets_->Record({page_})) (*ledger)->Note(key, row);
  Reopen();
  EXPECT_EQ(SpentOf("a.test").pages, 0u) << "nothing is written before the group is";
  ASSERT_TRUE((*ledger)->Commit().ok());
  Reopen();
  EXPECT_EQ(SpentOf("a.test").pages, 1u);
}

// Counts of many other hosts come in between, and there is no room for all.
TEST_F(HostBudgetsTest, ACountIsKeptUntilItsRowIsWritten) {
  options_.host_pages = 3;
  Reopen();
  ASSERT_EQ(Begin("a.test"), "");
  auto rows = budgets_->Record({page_});
  for (int i = 0; i < 60'000; ++i) ASSERT_EQ(Over("h" + std::to_string(i) + ".test"), "");
  ASSERT_EQ(Begin("a.test"), "");
  for (auto& row : budgets_->Record({page_})) rows.push_back(std::move(row));
  Write(rows);
  budgets_->Committed();
  Reopen();
  EXPECT_EQ(SpentOf("a.test").pages, 2u);
}

// docs/formats/store.md
TEST_F(HostBudgetsTest, RowsAreAsDescribed) {
  ASSERT_EQ(Begin("www.a.test"), "");
  budgets_->Received(page_, 300);
  const auto rows = budgets_->Record({page_});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (std::pair<std::string, std::string>("domain_spent/a.test", "\x01\xac\x02")));
  char key[64];
  snprintf(key, sizeof key, "host_spent/%04x/www.a.test", ShardOf("www.a.test").value);
  EXPECT_EQ(rows[1], (std::pair<std::string, std::string>(key, "\x01\xac\x02")));
}

TEST_F(HostBudgetsTest, ADamagedRowIsToldAndNotTakenForNothing) {
  Write({{"domain_spent/a.test", "\x01"}});
  EXPECT_TRUE(absl::IsDataLoss(budgets_->Begin(PageId(ShardId{0}, 1), "a.test").status()));
  const auto spent = budgets_->SpentOf("a.test", /*domain=*/true);
  EXPECT_TRUE(absl::IsDataLoss(spent.status()));
  EXPECT_NE(spent.status().message().find("domain_spent/a.test"), absl::string_view::npos);
}

TEST_F(HostBudgetsTest, TheCountsOfAHostGoAlongWithItsShard) {
  Fetch("a.test", 70);
  Fetch("a.test", 30);
  const ShardId shard = ShardOf("a.test");
  const auto packed = budgets_->Pack(shard, "paces", 1 << 20);
  ASSERT_TRUE(packed.ok()) << packed.status();

  store_ = NewMemoryStore();  // another node
  options_.host_pages = 2;
  Reopen();
  auto rest = budgets_->Unpack(shard, *packed);
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_EQ(*rest, "paces");
  EXPECT_EQ(Over("a.test"), "2 of 2 pages of a.test");
  rest = budgets_->Unpack(shard, *packed);  // told once more after a crash
  ASSERT_TRUE(rest.ok()) << rest.status();
  Reopen();
  EXPECT_EQ(SpentOf("a.test"), (Spent{2, 100}));
  EXPECT_EQ(SpentOf("a.test", /*domain=*/true), (Spent{2, 100}));
}

TEST_F(HostBudgetsTest, AShardThatComesBackBringsTheLaterCount) {
  Fetch("a.test");
  const ShardId shard = ShardOf("a.test");
  const std::string early = budgets_->Pack(shard, "", 1 << 20).value();
  Fetch("a.test");
  const std::string late = budgets_->Pack(shard, "", 1 << 20).value();
  ASSERT_TRUE(budgets_->Unpack(shard, early).ok());
  EXPECT_EQ(SpentOf("a.test"), (Spent{2, 200})) << "never lowered";
  store_ = NewMemoryStore();
  Reopen();
  ASSERT_TRUE(budgets_->Unpack(shard, early).ok());
  ASSERT_TRUE(budgets_->Unpack(shard, late).ok());
  EXPECT_EQ(SpentOf("a.test", /*domain=*/true), (Spent{2, 200}));
}

TEST_F(HostBudgetsTest, CountsThatAPeerTellsNeverWrap) {
  Fetch("a.test");
  Fetch("www.a.test");
  for (const char* host : {"a.test", "www.a.test"}) {
    const ShardId shard = ShardOf(host);
    std::string told(" spent"), hosts;
    base::AppendBytes(told, host);
    base::AppendVarint(told, ~uint64_t{0});
    base::AppendVarint(told, ~uint64_t{0} - 5);
    base::AppendBytes(hosts, told);
    base::AppendBytes(hosts, std::string(5, '\0'));
    ASSERT_TRUE(budgets_->Unpack(shard, hosts).ok());
    EXPECT_EQ(SpentOf(host), (Spent{schedule::kBudgetMax, schedule::kBudgetMax}));
  }
  EXPECT_EQ(SpentOf("a.test", /*domain=*/true),
            (Spent{schedule::kBudgetMax, schedule::kBudgetMax}));
}

TEST_F(HostBudgetsTest, WhatAPeerTellsIsBoundedAndOfItsShard) {
  Fetch("a.test");
  const ShardId shard = ShardOf("a.test");
  const std::string hosts(1000, 'p');
  const auto packed = budgets_->Pack(shard, hosts, hosts.size() + 10);
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(*packed, hosts) << "no room";
  EXPECT_EQ(budgets_->Pack(ShardAt((shard.value + 1) % kShards), hosts, 1 << 20).value(), hosts);
  const std::string told = budgets_->Pack(shard, "", 1 << 20).value();

  store_ = NewMemoryStore();
  Reopen();
  ASSERT_TRUE(budgets_->Unpack(ShardAt((shard.value + 1) % kShards), told).ok());
  EXPECT_EQ(SpentOf("a.test"), Spent()) << "a host of another shard";
  for (size_t size = 0; size < told.size(); ++size) {
    const std::string cut = told.substr(0, size);
    const auto rest = budgets_->Unpack(shard, cut);
    ASSERT_TRUE(rest.ok()) << rest.status();
    EXPECT_EQ(*rest, cut) << "as an earlier release tells";
  }
}

TEST_F(HostBudgetsTest, WithWholeUrlsEachNodeCountsItsOwn) {
  charter_.shard_by = url::ShardBy::kUrl;
  Reopen();
  Fetch("a.test");
  EXPECT_EQ(budgets_->Pack(ShardOf("a.test"), "paces", 1 << 20).value(), "paces");
  EXPECT_EQ(SpentOf("a.test").pages, 1u);
}

// The budget was raised while the scheduler was told that it is used up.
TEST_F(HostBudgetsTest, RulesAreToldAgainToWhoWasToldAnOldBudget) {
  int told = 0;
  options_.host_pages = 1;
  Reopen();
  budgets_->TellRulesBy([&told] { ++told; });
  Fetch("a.test");
  ASSERT_NE(Over("a.test"), "");
  budgets_->ToldOverBudget("a.test");
  EXPECT_EQ(told, 0);
  Rule({.host = "a.test", .pages = 2});
  budgets_->ToldOverBudget("a.test");
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace opic::node

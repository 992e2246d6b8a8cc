// What the sites of a crawl have, over a ledger of a small random graph.
#include "node/site_answers.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "node/spent_rows.h"
#include "tests/node/ranking_fixture.h"
#include "url/scope.h"

namespace opic::node {
namespace {

class SiteAnswersTest : public RankingFixture {
 protected:
  using RankingFixture::RankingFixture;
  static absl::Status Directly(absl::FunctionRef<absl::Status()> step) { return step(); }
  TopSites Sites(const SitesQuery& query) {
    const auto sites = AnswerSites(*ledger_, *store_, query, Directly);
    EXPECT_TRUE(sites.ok()) << sites.status();
    return sites.value_or(TopSites());
  }
  // The obvious way.
  std::map<std::string, Site> SumsOfAll(const std::function<std::string(std::string_view)>& name) {
    std::map<std::string, Site> sums;
    for (const PageImportance& page : SortOfAll()) {
      sums[name(url::HostOf(page.url))] += {.name = "",
                                            .importance = page.importance,
                                            .pages = 1,
                                            .unread = page.state == "unread" ? 1u : 0u,
                                            .fetched = page.state == "fetched" ? 1u : 0u,
                                            .failed = page.state == "failed" ? 1u : 0u,
                                            .fetches = page.fetches};
    }
    return sums;
  }
  void ExpectSumsOfAll() {
    FetchPages(20);
    SettleAll(5);
    const auto itself = [](std::string_view host) { return std::string(host); };
    ExpectSums(Sites({.kind = SiteKind::kHost, .count = 100}), SumsOfAll(itself));
    ExpectSums(Sites({.kind = SiteKind::kDomain, .count = 100}), SumsOfAll(url::RegistrableDomain));
  }
  void ExpectSums(const TopSites& told, const std::map<std::string, Site>& sums) {
    EXPECT_EQ(told.pages, known());
    EXPECT_EQ(told.known, sums.size());
    ASSERT_EQ(told.sites.size(), sums.size());
    for (const Site& site : told.sites) {
      ASSERT_TRUE(sums.contains(site.name)) << site.name;
      const Site& sum = sums.at(site.name);
      EXPECT_NEAR(site.importance, sum.importance, 1e-12) << site.name;
      EXPECT_EQ(site.pages, sum.pages) << site.name;
      EXPECT_EQ(site.unread, sum.unread) << site.name;
      EXPECT_EQ(site.fetched, sum.fetched) << site.name;
      EXPECT_EQ(site.failed, sum.failed) << site.name;
      EXPECT_EQ(site.fetches, sum.fetches) << site.name;
    }
    EXPECT_TRUE(std::is_sorted(told.sites.begin(), told.sites.end(), IsBetter));
  }
};

TEST_F(SiteAnswersTest, AreTheSumsOfAllPages) { ExpectSumsOfAll(); }

// The pages of a host are all over the shards.
class ShardsByUrlTest : public SiteAnswersTest {
 protected:
  ShardsByUrlTest() : SiteAnswersTest(url::ShardBy::kUrl) {}
};
TEST_F(ShardsByUrlTest, SitesAreTheSumsOfAllPages) { ExpectSumsOfAll(); }

TEST_F(SiteAnswersTest, AreTheSameHoweverFewRowsAreReadAtOnce) {
  FetchPages(20);
  const auto all = SumsOfAll([](std::string_view host) { return std::string(host); });
  for (const size_t rows : {size_t{1}, size_t{7}, known() - 1, known(), known() + 1}) {
    size_t steps = 0;
    const auto sites = AnswerSites(
        *ledger_, *store_, {.kind = SiteKind::kHost, .count = 100},
        [&](absl::FunctionRef<absl::Status()> step) { return ++steps, step(); }, rows);
    ASSERT_TRUE(sites.ok()) << sites.status();
    ExpectSums(*sites, all);
    EXPECT_EQ(steps, 1 + (known() + rows - 1) / rows);
  }
}

// What was visited between had its cash banked, and what it had recorded was that of before.
TEST_F(SiteAnswersTest, CashAndHistoryOfAPageAreOfOneMoment) {
  FetchPages(20);
  std::map<std::string, Site> then;
  const auto sites =
      AnswerSites(*ledger_, *store_, {.kind = SiteKind::kHost, .count = 100},
                  [&](absl::FunctionRef<absl::Status()> step) {
                    if (then.empty()) {
                      SettleAll(2);
                      then = SumsOfAll([](std::string_view host) { return std::string(host); });
                    }
                    return step();
                  });
  ASSERT_TRUE(sites.ok()) << sites.status();
  ExpectSums(*sites, then);
}

TEST_F(SiteAnswersTest, AreAsManyAsAreWanted) {
  FetchPages(20);
  const TopSites all = Sites({.kind = SiteKind::kHost, .count = 100});
  ASSERT_GT(all.sites.size(), 2u);
  const TopSites best = Sites({.kind = SiteKind::kHost, .count = 2});
  ASSERT_EQ(best.sites.size(), 2u);
  EXPECT_EQ(best.sites[0].name, all.sites[0].name);
  EXPECT_EQ(best.sites[1].name, all.sites[1].name);
  EXPECT_EQ(best.known, all.known);
}

TEST_F(SiteAnswersTest, AFailedPageIsCountedAsOne) {
  ledger::Visit visit;
  visit.page = PageOf(0);
  visit.kind = ledger::VisitKind::kFailed;
  ASSERT_TRUE(ledger_->Record({visit}).ok());
  Commit();
  uint64_t failed = 0;
  for (const Site& site : Sites({.kind = SiteKind::kHost, .count = 100}).sites)
    failed += site.failed;
  EXPECT_EQ(failed, 1u);
}

TEST_F(SiteAnswersTest, AWalkThatIsGivenUpEnds) {
  const auto sites = AnswerSites(*ledger_, *store_, {.given_up = [] { return true; }}, Directly);
  EXPECT_TRUE(absl::IsCancelled(sites.status())) << sites.status();
}

TEST_F(SiteAnswersTest, AnErrorOfTheLedgersThreadIsTheAnswer) {
  const auto sites = AnswerSites(*ledger_, *store_, {}, [](absl::FunctionRef<absl::Status()>) {
    return absl::UnavailableError("the node is stopping");
  });
  EXPECT_TRUE(absl::IsUnavailable(sites.status())) << sites.status();
}

class BytesOfSitesTest : public SiteAnswersTest {
 protected:
  explicit BytesOfSitesTest(url::ShardBy shard_by = url::ShardBy::kHost)
      : SiteAnswersTest(shard_by) {}
  void SetUp() override {
    SiteAnswersTest::SetUp();
    FetchPages(20);
  }
  void Put(const std::string& key, std::string row) {
    store::Batch batch;
    batch.Put(store::Table::kMeta, key, std::move(row));
    ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  }
  void Spend(const std::string& host, const Spent& spent) {
    Put(HostSpentPrefix(hash_.ShardOfHost(host)) + host, RowOf(spent));
  }
  uint64_t BytesOf(const std::string& name, SiteKind kind, const HostsFile* file = nullptr) {
    const auto sites = AnswerSites(*ledger_, *store_, {.kind = kind, .count = 100}, Directly,
                                   kSiteRowsAtOnce, file);
    EXPECT_TRUE(sites.ok()) << sites.status();
    for (const Site& site : sites.value_or(TopSites()).sites)
      if (site.name == name) return site.bytes.value();
    ADD_FAILURE() << "there is no " << name;
    return 0;
  }
  void ExpectBytes() {
    Spend("host0.test", {2, 1000});
    Spend("www.host0.test", {1, 10});
    Spend("nobody.test", {1, 7});
    EXPECT_EQ(BytesOf("host0.test", SiteKind::kHost), 1000u);
    EXPECT_EQ(BytesOf("www.host0.test", SiteKind::kHost), 10u);
    EXPECT_EQ(BytesOf("host1.test", SiteKind::kHost), 0u);
    EXPECT_EQ(BytesOf("host0.test", SiteKind::kDomain), 1010u);
    EXPECT_EQ(BytesOf("host1.test", SiteKind::kDomain), 0u);
    HostsFile file;
    file.members = {{{true, "host0.test"}, "farm"}, {{false, "host1.test"}, "farm"}};
    EXPECT_EQ(BytesOf("farm", SiteKind::kGroup, &file), 1010u);
  }
};

TEST_F(BytesOfSitesTest, AreTheSumsOfWhatHostsHaveSpent) { ExpectBytes(); }

class BytesOfSitesByUrlTest : public BytesOfSitesTest {
 protected:
  BytesOfSitesByUrlTest() : BytesOfSitesTest(url::ShardBy::kUrl) {}
};
TEST_F(BytesOfSitesByUrlTest, AreTheSumsOfWhatHostsHaveSpent) { ExpectBytes(); }

// Its new owner tells of it.
TEST_F(BytesOfSitesTest, OfAHostWhoseShardHasLeftAreNotCounted) {
  std::set<uint16_t> with_pages;
  for (int page = 0; page < kPages; ++page) {
    if (ledger_->books().table().Find(PageOf(page))) with_pages.insert(PageOf(page).shard().value);
  }
  for (uint16_t shard = 0; shard < 2 * kShards; ++shard)
    Put(HostSpentPrefix(ShardId{shard}) + "other.host0.test", RowOf({1, 1}));
  EXPECT_EQ(BytesOf("host0.test", SiteKind::kDomain), with_pages.size());
}

TEST_F(BytesOfSitesTest, ARowThatCannotBeReadIsNamed) {
  for (const auto& [key, row] :
       {std::pair("host_spent/0001/a.test", "\x80"), std::pair("host_spent/zz", "\1\1"),
        std::pair("host_spent/00010000/a.test", "\1\1")}) {
    Put(key, row);
    const auto sites = AnswerSites(*ledger_, *store_, {}, Directly);
    EXPECT_TRUE(absl::IsDataLoss(sites.status())) << sites.status();
    EXPECT_NE(sites.status().message().find(key), std::string::npos) << sites.status();
    store::Batch batch;
    batch.Delete(store::Table::kMeta, key);
    ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  }
}

TEST_F(BytesOfSitesTest, GroupsAtRestHaveWhatWasFetchedOfThem) {
  Put("group_spent/shop", RowOf({3, 500}));
  Put("group_spent/farm", RowOf({9, 900}));
  Put("group_spent/idle", RowOf({0, 0}));
  const auto told = AnswerSpentGroups(*ledger_, *store_, {.kind = SiteKind::kGroup, .count = 2});
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_TRUE(told->only_spent);
  EXPECT_EQ(told->known, 3u);
  EXPECT_EQ(told->pages, known());
  ASSERT_EQ(told->sites.size(), 2u);
  EXPECT_EQ(told->sites[0].name, "farm");
  EXPECT_EQ(told->sites[0].pages, 9u);
  EXPECT_EQ(told->sites[0].bytes, 900u);
  EXPECT_EQ(told->sites[1].name, "shop");
}

}  // namespace
}  // namespace opic::node

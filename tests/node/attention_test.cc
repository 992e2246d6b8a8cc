#include "node/attention.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/memory_store.h"
#include "url/page_id.h"

namespace opic::node {
namespace {

using refresh::Publication;
using refresh::Target;

constexpr int kHostCount = 10;

class AttentionTest : public testing::Test {
 protected:
  void Open(const refresh::Factors& interest = refresh::kNoFactors) {
    ledger::Charter charter;
    charter.cluster_id = 7;
    charter.shards = 64;
    auto opened = ledger::Ledger::Open({}, *store_, &charter);
    ASSERT_TRUE(opened.ok()) << opened.status();
    ledger_ = *std::move(opened);
    closed_ = std::make_unique<ClosedShards>(64);
    attention_ = std::make_unique<Attention>(*ledger_, *store_, *closed_, interest);
    attention_->Follow(book_);
    ledger_->TellDiscoveries(
        [this](PageId page, const ledger::PageRow& row) { attention_->Found(page, row.url); });
  }
  static std::string UrlOf(int page) {
    return "http://host" + std::to_string(page % kHostCount) + ".test/" + std::to_string(page);
  }
  PageId PageOf(int page) const { return hash_.PageOf(*url::Parse(UrlOf(page))); }
  void Discover(int from, int to) {
    std::vector<ledger::Link> links;
    for (int i = from; i < to; ++i) {
      links.push_back({PageOf(i), UrlOf(i)});
      number_[PageOf(i)] = i;
    }
    ledger_->Seed(links);
    ASSERT_TRUE(ledger_->Commit().ok());
  }
  uint64_t Boost(double factor, const std::string& host) {
    Publication boost;
    boost.id = ++last_id_;
    boost.treatment = refresh::Treatment::kBoost;
    boost.amount = factor;
    boost.target = Target::kHost;
    boost.of = host;
    EXPECT_TRUE(book_.Add(boost).value());
    return boost.id;
  }
  void StepAll() {
    do {
      ASSERT_TRUE(attention_->Step().ok());
    } while (attention_->looking());
  }
  std::set<int> Take(size_t most = 1'000'000, int64_t threshold = 0) {
    std::set<int> pages;
    for (const schedule::Candidate& candidate : attention_->Take(most, cash::Amount(threshold)))
      pages.insert(number_.at(candidate.page));
    return pages;
  }
  std::set<int> OfHost(int host, int from, int to) const {
    std::set<int> pages;
    for (int i = from; i < to; ++i)
      if (i % kHostCount == host) pages.insert(i);
    return pages;
  }

  const std::unique_ptr<store::Store> store_ = NewMemoryStore();
  const url::UrlHash hash_{url::ShardBy::kHost, 64};
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<ClosedShards> closed_;
  refresh::PublicationBook book_;
  std::unique_ptr<Attention> attention_;
  std::map<PageId, int> number_;
  uint64_t last_id_ = 0;
};

TEST_F(AttentionTest, NothingIsListedUnlessSomethingIsRaised) {
  Open();
  Discover(0, 100);
  StepAll();
  EXPECT_TRUE(Take().empty());
  Boost(0.1, "host3.test");
  Boost(1.2, "host4.test");  // too little for that
  StepAll();
  Discover(100, 200);
  EXPECT_TRUE(Take().empty());
  EXPECT_EQ(attention_->FactorOf(*url::Parse(UrlOf(3))), 0.1);
  EXPECT_EQ(attention_->FactorOf(*url::Parse(UrlOf(4))), 1.2);
  EXPECT_EQ(attention_->FactorOf(*url::Parse(UrlOf(5))), 1);
}

TEST_F(AttentionTest, PagesKnownBeforeAndPagesDiscoveredAreListed) {
  Open();
  Discover(0, 2500);  // more than a step looks at
  const uint64_t id = Boost(10, "host3.test");
  StepAll();
  EXPECT_EQ(Take(), OfHost(3, 0, 2500));
  Discover(2500, 2600);
  EXPECT_EQ(Take(), OfHost(3, 2500, 2600));
  EXPECT_TRUE(Take().empty());

  Discover(2600, 2700);
  book_.Remove(id);
  StepAll();
  EXPECT_TRUE(Take().empty()) << "it was withdrawn";
}

TEST_F(AttentionTest, ARestartListsThemAgain) {
  Open();
  Boost(10, "host3.test");
  StepAll();
  Discover(0, 100);
  ledger_.reset();
  Open();
  EXPECT_TRUE(Take().empty());
  StepAll();
  EXPECT_EQ(Take(), OfHost(3, 0, 100));
}

TEST_F(AttentionTest, ThePagesOfALostSessionAreListedAgain) {
  Open();
  Boost(10, "host3.test");
  StepAll();
  Discover(0, 100);
  for (int page : Take(4)) ledger_->table().SetOrdered(PageOf(page), true);
  ledger_->table().ClearOrdered();
  attention_->OffersWereLost();
  StepAll();
  EXPECT_EQ(Take(), OfHost(3, 0, 100));
}

TEST_F(AttentionTest, OnlyUnreadPagesThatMayBeChosenNowAreTaken) {
  Open();
  Boost(10, "host3.test");
  Boost(10, "host4.test");
  StepAll();
  Discover(0, 100);
  ledger::Visit visit;
  visit.page = PageOf(13);
  ASSERT_TRUE(ledger_->Record({visit}).ok());
  ASSERT_TRUE(ledger_->Commit().ok());
  ledger_->table().SetOrdered(PageOf(23), true);
  closed_->Add(PageOf(4).shard());
  std::set<int> expected = OfHost(3, 0, 100);
  expected.erase(13), expected.erase(23);
  EXPECT_EQ(Take(), expected);

  StepAll();
  closed_->Clear();  // the shard stays, or has come
  StepAll();
  expected.merge(OfHost(4, 0, 100));
  EXPECT_EQ(Take(), expected);
}

TEST_F(AttentionTest, CashTimesTheFactorMustReachTheThreshold) {
  Open();
  Boost(10, "host3.test");
  StepAll();
  Discover(0, 100);
  const int64_t cash = ledger_->books().table().Find(PageOf(3))->cash.value().units();
  ASSERT_GT(cash, 0);
  EXPECT_TRUE(Take(100, 11 * cash).empty());
  EXPECT_EQ(Take(100, 9 * cash), OfHost(3, 0, 100));
}

// Pages of the hosts by number: on host 3 all are XML, and host 4's each discover one of them.
class InterestedAttentionTest : public AttentionTest {
 protected:
  static refresh::Factors In(refresh::Category category, double factor) {
    refresh::Factors interest = refresh::kNoFactors;
    interest[static_cast<size_t>(category)] = factor;
    return interest;
  }
  void SetUp() override {
    Open(In(refresh::Category::kXml, 100));
    Discover(0, 3000);
    StepAll();
  }
  void Read(int page) {
    ledger::Visit visit;
    visit.page = PageOf(page);
    visit.at = 1'790'000'000;
    visit.category = static_cast<uint8_t>(page % kHostCount == 3 ? refresh::Category::kXml
                                                                 : refresh::Category::kHtml);
    if (page % kHostCount == 4) {
      const int found = 10'000 + page - 1;  // of host 3
      visit.links = {{PageOf(found), UrlOf(found)}};
      number_[PageOf(found)] = found;
    }
    ASSERT_TRUE(attention_->Learn({visit}).ok());
    ASSERT_TRUE(ledger_->Record({visit}).ok());
    if (auto row = attention_->TakeRow(/*at_once=*/false)) {
      ledger_->Note(row->first, row->second);
      rows_bytes_ += row->second.size();
      read_when_kept_ = page;
      kept_factor_ = FactorOf(kLeads);
    }
    ASSERT_TRUE(ledger_->Commit().ok());
  }
  // What is in memory is gone.
  void StartAgain(const refresh::Factors& interest) {
    ledger_.reset();
    Open(interest);
    ASSERT_TRUE(attention_->Recall().ok());
  }
  std::string Row() const { return store_->Get(store::Table::kMeta, "interest").value().value(); }
  void WriteRow(std::string row) const {
    store::Batch batch;
    batch.Put(store::Table::kMeta, "interest", std::move(row));
    ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  }

  static constexpr int kLeads = 2004, kOther = 2005;
  size_t rows_bytes_ = 0;
  int read_when_kept_ = 0;
  double kept_factor_ = 0;  // of kLeads, then
  double FactorOf(int page) const { return attention_->FactorOf(*url::Parse(UrlOf(page))); }
};

TEST_F(InterestedAttentionTest, PagesLikeThoseThatWereOrLedToWantedOnesAreFavoured) {
  for (int page = 0; page < 600; ++page) Read(page);
  const double wanted = FactorOf(2003), leads = FactorOf(2004), other = FactorOf(2005);
  EXPECT_GT(wanted, 50);
  EXPECT_GT(leads, 10);
  EXPECT_LT(leads, wanted);
  EXPECT_LT(other, Attention::kFavouredFrom);

  StepAll();  // the rows are looked through with what was learnt
  std::set<int> expected = OfHost(3, 600, 3000);
  expected.merge(OfHost(4, 600, 3000));
  std::set<int> taken = Take();
  std::erase_if(taken, [](int page) { return page >= 10'000; });
  EXPECT_EQ(taken, expected);

  Discover(3000, 3100);
  expected = OfHost(3, 3000, 3100);
  expected.merge(OfHost(4, 3000, 3100));
  EXPECT_EQ(Take(), expected);
}

TEST_F(InterestedAttentionTest, ABoostAndAnInterestMultiply) {
  for (int page = 0; page < 600; ++page) Read(page);
  const double interest = FactorOf(2003);
  Boost(7, "host3.test");
  EXPECT_DOUBLE_EQ(FactorOf(2003), 7 * interest);
}

TEST_F(InterestedAttentionTest, AReadingAgainTeachesNothing) {
  for (int page = 0; page < 600; ++page) Read(page);
  const double before = FactorOf(2003);
  for (int page = 0; page < 600; ++page) Read(page);
  EXPECT_EQ(FactorOf(2003), before);
}

// In a continuous crawl what was wanted and known already went on to be learnt from.
TEST_F(InterestedAttentionTest, AReadingOfAPageThatWasDueAgainTeachesNothing) {
  std::vector<PageId> read;
  for (int page = 0; page < 600; ++page) {
    Read(page);
    read.push_back(PageOf(page));
  }
  const double before = FactorOf(2003);
  ledger_->Reopen(read);
  ASSERT_TRUE(ledger_->Commit().ok());
  for (int page = 0; page < 600; ++page) Read(page);
  EXPECT_EQ(FactorOf(2003), before);
}

TEST_F(InterestedAttentionTest, WhatWasLearntOutlivesTheProcess) {
  for (int page = 0; page < 600; ++page) Read(page);
  ASSERT_GT(FactorOf(kLeads), 10);
  EXPECT_GE(read_when_kept_, 600 - 64) << "the last readings of all may be lost";
  EXPECT_LT(rows_bytes_, 600 * 220u) << "it is written seldom";
  StartAgain(In(refresh::Category::kXml, 100));
  EXPECT_EQ(FactorOf(kLeads), kept_factor_);
  EXPECT_EQ(FactorOf(kOther), 1);
  StartAgain(In(refresh::Category::kXml, 50));
  EXPECT_GT(FactorOf(kLeads), 5) << "the same is wanted, less of it";
  EXPECT_LT(FactorOf(kLeads), kept_factor_);
}

TEST_F(InterestedAttentionTest, AnOrderlyEndKeepsTheLastReadingsToo) {
  for (int page = 0; page < 600; ++page) Read(page);
  const double before = FactorOf(kLeads);
  if (auto row = attention_->TakeRow(/*at_once=*/true)) WriteRow(row->second);
  EXPECT_FALSE(attention_->TakeRow(/*at_once=*/true)) << "nothing is new";
  StartAgain(In(refresh::Category::kXml, 100));
  EXPECT_EQ(FactorOf(kLeads), before);
}

TEST_F(InterestedAttentionTest, WhatWasLearntForOtherPagesDoesNotCount) {
  for (int page = 0; page < 600; ++page) Read(page);
  StartAgain(In(refresh::Category::kPdf, 100));
  EXPECT_EQ(FactorOf(kLeads), 1);
  StartAgain(refresh::kNoFactors);
  EXPECT_EQ(FactorOf(kLeads), 1);
}

TEST_F(InterestedAttentionTest, ADamagedRowBeginsItAnewAndTheNextOneIsSound) {
  for (int page = 0; page < 600; ++page) Read(page);
  const std::string sound = Row();
  std::vector<std::string> damaged = {"", "x", sound.substr(0, sound.size() / 2), sound + "x"};
  for (size_t at = 0; at < sound.size(); at += 97) {
    damaged.push_back(sound);
    damaged.back()[at] ^= 1;
  }
  for (const std::string& row : damaged) {
    WriteRow(row);
    StartAgain(In(refresh::Category::kXml, 100));
    EXPECT_EQ(FactorOf(kLeads), 1);
  }
  StepAll();
  for (int page = 600; page < 1200; ++page) Read(page);
  StartAgain(In(refresh::Category::kXml, 100));
  EXPECT_EQ(FactorOf(kLeads), kept_factor_);
  EXPECT_GT(kept_factor_, 10);
}

TEST_F(InterestedAttentionTest, TellsWhatInterestHasInAFactor) {
  for (int page = 0; page < 600; ++page) Read(page);
  Boost(7, "host4.test");
  const url::Url leads = *url::Parse(UrlOf(kLeads));
  EXPECT_DOUBLE_EQ(attention_->FactorOf(leads), 7 * attention_->InterestFactorOf(leads));
  EXPECT_GT(attention_->InterestFactorOf(leads), 10);
}

}  // namespace
}  // namespace opic::node

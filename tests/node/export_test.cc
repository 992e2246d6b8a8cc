// Pages and links out of one folder of a cluster, and out of all of them.
#include "node/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "node/resting_parts.h"
#include "store/store.h"

namespace opic::node {
namespace {

using testing::ElementsAre;

// Node n owns the pages of the shards that are n modulo 2.
NodeId OwnerOf(ShardId shard) { return NodeAt(shard.value % 2); }

PageId Page(uint16_t shard, uint64_t id) { return PageId(ShardId{shard}, id); }
std::string UrlOf(PageId page) {
  return "http://" + std::to_string(page.shard().value) + ".test/" + std::to_string(page.id());
}
ledger::Link Link(PageId page) { return {page, UrlOf(page)}; }

// Two nodes. a of node 0 links to b of its own and c of node 1; c links to a.
class ExportTest : public testing::Test {
 protected:
  const PageId a_ = Page(0, 5), b_ = Page(2, 3), c_ = Page(1, 9);

  ExportTest() {
    std::filesystem::remove_all(path_);
    for (uint16_t n = 0; n < 2; ++n) {
      folders_.push_back(DataFolder::Lock(path_ + std::to_string(n), /*create=*/true).value());
      Open(n);
    }
    at(0).Seed({Link(a_)});
    Commit(0);
    Fetch(0, a_, {b_, c_});
    Deliver(0);
  }
  ~ExportTest() override {
    Close();
    folders_.clear();
    for (uint16_t n = 0; n < 2; ++n) std::filesystem::remove_all(path_ + std::to_string(n));
  }

  void Open(uint16_t n) {
    ledger::Charter charter = ledger::Charter::ForNewCrawl();
    charter.cluster_id = 7;
    charter.shards = 4;
    charter.node = NodeId{n};
    charter.birth = 70 + n;
    charter.genesis = n == 0 ? cash::kSupply : cash::Amount();
    ledger::Options options;
    options.checkpoint_folder = folders_[n]->checkpoints();
    options.nodes = 2;
    options.owner = OwnerOf;
    stores_[n] = store::OpenRocksStore(folders_[n]->store(), {}).value();
    ledgers_[n] = ledger::Ledger::Open(options, *stores_[n], &charter).value();
  }
  ledger::Ledger& at(uint16_t n) { return *ledgers_[n]; }
  void Commit(uint16_t n) { ASSERT_TRUE(at(n).Commit().ok()); }
  void Fetch(uint16_t n, PageId page, const std::vector<PageId>& links) {
    ledger::Visit visit{page, ledger::VisitKind::kFetched, 200};
    for (const PageId link : links) visit.links.push_back(Link(link));
    visit.at = 1'000'000'000;
    ASSERT_TRUE(at(n).Record({visit}).ok());
    Commit(n);
  }
  // What was sealed by `from` arrives.
  void Deliver(uint16_t from) {
    for (const ledger::SealedBatch& sealed : at(from).TakeSealed()) {
      ASSERT_TRUE(at(1 - from).Receive(ledger::DecodeTransferBatch(sealed.bytes).value()).ok());
    }
    Commit(1 - from);
  }
  void Close() {
    for (uint16_t n = 0; n < 2; ++n) ledgers_[n].reset(), stores_[n].reset();
  }

  // Of the folders from `first` to `last`.
  std::unique_ptr<Export> Exported(size_t first, size_t last) {
    Close();
    auto parts = OpenRestingParts(absl::MakeSpan(folders_).subspan(first, last - first + 1));
    EXPECT_TRUE(parts.ok()) << parts.status();
    return Export::Open(*std::move(parts)).value();
  }
  static std::vector<ExportedPage> All(Export& exported) {
    std::vector<ExportedPage> pages;
    EXPECT_TRUE(exported
                    .ForEach([&](const ExportedPage& page) {
                      pages.push_back(page);
                      return absl::OkStatus();
                    })
                    .ok());
    return pages;
  }

  const std::string path_ = testing::TempDir() + "/opic_export-" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
                            std::to_string(getpid()) + "-";
  std::vector<std::unique_ptr<DataFolder>> folders_;
  std::unique_ptr<store::Store> stores_[2];
  std::unique_ptr<ledger::Ledger> ledgers_[2];
};

TEST_F(ExportTest, APageOfAnotherNodeIsKnownElsewhere) {
  const auto exported = Exported(0, 0);
  EXPECT_FALSE(exported->whole());
  EXPECT_THAT(exported->missing(), ElementsAre(NodeId{1}));
  EXPECT_EQ(exported->pages(), 2u);
  EXPECT_EQ(exported->elsewhere(), 1u);
  EXPECT_EQ(exported->links_elsewhere(), 1u);
  const std::vector<ExportedPage> pages = All(*exported);
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].record.url, UrlOf(a_));
  EXPECT_THAT(pages[0].links, testing::UnorderedElementsAre(1u, 2u));
  EXPECT_EQ(pages[1].record.page, b_);
  EXPECT_FALSE(pages[2].known);
  EXPECT_EQ(pages[2].number, 2u);
  EXPECT_EQ(pages[2].record.page, c_);
  EXPECT_EQ(pages[2].record.state, kKnownElsewhere);
}

TEST_F(ExportTest, AllFoldersHaveEveryPageAndImportancesThatSumToOne) {
  Fetch(1, c_, {a_});
  Deliver(1);
  const auto exported = Exported(0, 1);
  EXPECT_TRUE(exported->whole());
  EXPECT_EQ(exported->elsewhere(), 0u);
  const std::vector<ExportedPage> pages = All(*exported);
  ASSERT_EQ(pages.size(), 3u);
  double sum = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(pages[i].number, i);
    EXPECT_TRUE(pages[i].known);
    EXPECT_EQ(pages[i].record.url, UrlOf(pages[i].record.page));
    sum += pages[i].importance;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(exported->estimate_sum(), 1, 1e-6);
  EXPECT_EQ(pages[1].record.page, c_);  // by words, whoever has them
  EXPECT_THAT(pages[1].links, ElementsAre(0u));
  EXPECT_EQ(exported->twice(), 0u);
}

// What is on its way belongs to nobody yet; its link is there all the same.
TEST_F(ExportTest, ALinkWhosePageHasNotArrivedIsKnownElsewhere) {
  const PageId late = Page(3, 4);
  Fetch(0, b_, {late});
  const auto exported = Exported(0, 1);
  EXPECT_TRUE(exported->whole());
  EXPECT_EQ(exported->elsewhere(), 1u);
  EXPECT_EQ(All(*exported).back().record.page, late);
  EXPECT_NEAR(exported->estimate_sum(), 1, 1e-6);
}

TEST_F(ExportTest, FoldersThatAreNotOfOneCrawlAreRefused) {
  Close();
  std::vector<std::unique_ptr<DataFolder>> same;
  same.push_back(std::move(folders_[0]));
  std::filesystem::copy(path_ + "0", path_ + "0-copy", std::filesystem::copy_options::recursive);
  same.push_back(DataFolder::Lock(path_ + "0-copy", /*create=*/false).value());
  const auto parts = OpenRestingParts(same);
  EXPECT_TRUE(absl::IsFailedPrecondition(parts.status())) << parts.status();
  same.clear();
  std::filesystem::remove_all(path_ + "0-copy");
}

TEST(PageRecordTest, ARecordComesBackAsItWas) {
  PageRecord record;
  record.page = Page(3, 77);
  record.url = "http://a.test/";
  record.state = "fetched";
  record.importance = 0.1;
  record.cash = cash::Amount(-5);
  record.history = -(static_cast<cash::Sum>(1) << 70);
  record.depth = 2;
  record.visits = 3;
  record.fetches = 1;
  record.http_status = 200;
  record.fetched_at = 1'700'000'000;
  record.content_hash = ~uint64_t{0};
  record.near_hash = 77;
  record.links = {Page(0, 1), Page(3, 2)};
  const auto back = DecodePageRecord(Encode(record));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->url, record.url);
  EXPECT_EQ(back->importance, record.importance);
  EXPECT_EQ(back->cash.units(), -5);
  EXPECT_TRUE(back->history == record.history);
  EXPECT_EQ(back->links, record.links);
  EXPECT_EQ(back->content_hash, record.content_hash);
  EXPECT_EQ(back->near_hash, 77u);
  EXPECT_EQ(Encode(*back), Encode(record));
  for (size_t cut = 0; cut < Encode(record).size(); ++cut) {
    EXPECT_FALSE(DecodePageRecord(Encode(record).substr(0, cut)).ok()) << cut;
  }
}

}  // namespace
}  // namespace opic::node

// What `opic verify` finds where every checksum is right: rows that do not fit together.
#include "node/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "node/crawl_memory.h"
#include "node/interest_memory.h"
#include "store/store.h"

namespace opic::node {
namespace {

using store::Table;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class VerificationTest : public testing::Test {
 protected:
  VerificationTest() {
    std::filesystem::remove_all(path_);
    folder_ = DataFolder::Lock(path_, /*create=*/true).value();
    auto store = OpenStore();
    auto ledger = ledger::Ledger::Open(Options(), *store, &charter_).value();
    ledger->Seed({Link("http://a.test/")});
    Commit(*ledger);
    ledger::Visit visit{Page("http://a.test/"),
                        ledger::VisitKind::kFetched,
                        200,
                        {Link("http://a.test/1"), Link("http://b.test/")}};
    visit.at = 1'000'000'000;
    EXPECT_TRUE(ledger->Record({visit}).ok());
    Commit(*ledger);
    EXPECT_TRUE(ledger->Checkpoint(/*all=*/true).ok());
  }
  ~VerificationTest() override { std::filesystem::remove_all(path_); }

  std::unique_ptr<store::Store> OpenStore() {
    return store::OpenRocksStore(folder_->store(), {}).value();
  }
  ledger::Options Options() const {
    ledger::Options options;
    options.checkpoint_folder = folder_->checkpoints();
    return options;
  }
  static void Commit(ledger::Ledger& ledger) { EXPECT_TRUE(ledger.Commit().ok()); }
  PageId Page(const std::string& url) const { return hash_.PageOf(*url::Parse(url)); }
  ledger::Link Link(const std::string& url) const { return {Page(url), url}; }
  void Write(const store::Batch& batch) {
    EXPECT_TRUE(OpenStore()->Write(batch, store::Sync::kYes).ok());
  }
  void Drop(Table table, const std::string& key) {
    store::Batch batch;
    batch.Delete(table, key);
    Write(batch);
  }
  void Put(Table table, const std::string& key, const std::string& value) {
    store::Batch batch;
    batch.Put(table, key, value);
    Write(batch);
  }
  Findings Verify() {
    const auto done = Verification::Of(*folder_, [](std::string_view, uint64_t, uint64_t) {});
    EXPECT_TRUE(done.ok()) << done.status();
    return done.ok() ? done->findings() : Findings();
  }
  void ExpectProblem(const std::string& said) {
    EXPECT_THAT(Verify().problems, testing::Contains(HasSubstr(said)));
  }

  // Tests run side by side.
  const std::string path_ = testing::TempDir() + "/opic_verification-" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
                            std::to_string(getpid());
  const ledger::Charter charter_ = {.cluster_id = 7, .shards = 4};
  const url::UrlHash hash_{url::ShardBy::kHost, 4};
  std::unique_ptr<DataFolder> folder_;
};

TEST_F(VerificationTest, ASoundFolderIsSound) {
  const Findings found = Verify();
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_EQ(found.pages, 3u);
  EXPECT_EQ(found.visited, 1u);
  EXPECT_EQ(found.links, 2u);
  EXPECT_GT(found.file_bytes, 0u);
}

TEST_F(VerificationTest, ALostPageRowIsFound) {
  Drop(Table::kPage, ledger::KeyOf(Page("http://b.test/")));
  ExpectProblem("2 pages have a row, the table has 3");
}

TEST_F(VerificationTest, APageRowThatIsAnothersIsFound) {
  ledger::PageRow row;
  row.url = "http://c.test/";
  Put(Table::kPage, ledger::KeyOf(Page("http://b.test/")), ledger::Encode(row));
  ExpectProblem("has the row of another URL, http://c.test/");
}

TEST_F(VerificationTest, ALostHistoryIsFound) {
  Drop(Table::kHistory, ledger::KeyOf(Page("http://a.test/")));
  ExpectProblem("1 page was visited, 0 of them have a history");
  ExpectProblem("not as many visits of each kind");
  ExpectProblem("the visits add up to 0");
}

TEST_F(VerificationTest, ALinkToNowhereIsFound) {
  const std::string key = ledger::KeyOf(Page("http://a.test/"));
  const importance::Window window(charter_.window);
  std::string value = **OpenStore()->Get(Table::kHistory, key);
  ledger::HistoryRow row = ledger::DecodeHistoryRow(value, window).value();
  row.links.push_back(PageId(ShardId{3}, kPageIdCount - 1));
  Put(Table::kHistory, key, ledger::Encode(row, window));
  ExpectProblem("which is not known");
}

TEST_F(VerificationTest, RowsThatCannotBeReadAreFound) {
  Put(Table::kRobots, "http://a.test", "?");
  ExpectProblem("the robots.txt verdict of \"http://a.test\" cannot be read");
  Put(Table::kMeta, kInterestKey, InterestRow(schedule::Interest(), {0, 1, 0, 0, 0, 0}) + "?");
  ExpectProblem("the row \"interest\" cannot be read");
  Put(Table::kMeta, "crawl", "?");
  ExpectProblem("what it remembers of its crawl cannot be read");
  Put(Table::kHistory, ledger::KeyOf(Page("http://a.test/")), "?");
  ExpectProblem("has a history row that cannot be read");
}

TEST_F(VerificationTest, AFolderThatCannotBeRecoveredIsAFinding) {
  std::filesystem::remove(folder_->path() + "/store.mark");
  ExpectProblem("its mark");
}

TEST_F(VerificationTest, AnEmptyFolderIsNotFound) {
  const std::string path = path_ + "-empty";
  const auto empty = DataFolder::Lock(path, /*create=*/true).value();
  const auto progress = [](std::string_view, uint64_t, uint64_t) {};
  EXPECT_TRUE(absl::IsNotFound(Verification::Of(*empty, progress).status()));
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace opic::node

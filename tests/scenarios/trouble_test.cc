// What people and machines do wrong: flags, folders. Each has its exit code, and what was
// there before is there afterwards.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ledger/charter.h"
#include "store/store.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void WriteAll(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<fs::path> FilesNamed(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  return files;
}

// The file with a bit of every 61st byte turned over.
void Damage(const fs::path& path) {
  std::string bytes = ReadAll(path);
  for (size_t i = 30; i < bytes.size(); i += 61) bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
  WriteAll(path, bytes);
}

TEST(UsageTest, WhatIsWrongIsNamedAndEndsWithTwo) {
  const std::string folder = FreshFolder() + "/data";
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"crawl", "--no-such-flag"}, "--no-such-flag"},
      {{"crawl", "http://127.0.0.1/", "--delay", "soon"}, "--delay"},
      {{"crawl", "http://127.0.0.1/", "--scope", "galaxy"}, "--scope"},
      {{"crawl", "http://127.0.0.1/", "--shards", "1000"}, "--shards"},
      {{"crawl", "ftp://127.0.0.1/"}, "ftp://127.0.0.1/"},
      {{"crawl", "http://127.0.0.1/", "--connect-to", "nonsense"}, "--connect-to"},
      {{"crawl"}, "no seeds"},
      {{"no-such-command"}, "no-such-command"},
  };
  for (const auto& [words, named] : cases) {
    Words all = words;
    if (words.front() == "crawl") all.insert(all.end(), {"--data", folder});
    const Said said = RunProgram("opic", all);
    EXPECT_EQ(said.code, 2) << named << ": " << said.output;
    EXPECT_NE(said.output.find(named), std::string::npos) << said.output;
  }
}

// A wrong command is noticed before anything is made.
TEST(UsageTest, ACrawlWithNothingToCrawlLeavesNothingBehind) {
  for (const Words& seeds : {Words{}, Words{"ftp://127.0.0.1/"}, Words{"http://:80/"}}) {
    const std::string folder = FreshFolder() + "/data";
    Words words = {"crawl", "--data", folder};
    words.insert(words.end(), seeds.begin(), seeds.end());
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 2) << said.output;
    EXPECT_FALSE(fs::exists(folder)) << said.output;
  }
}

TEST(UsageTest, HostsElsewhereNeedAContact) {
  const Said said =
      RunProgram("opic", {"crawl", "http://192.0.2.1/", "--data", FreshFolder() + "/data"});
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.output.find("--contact"), std::string::npos) << said.output;
}

TEST(UsageTest, ASeedFileThatIsNotThereIsNotFound) {
  const std::string folder = FreshFolder();
  const Said said =
      RunProgram("opic", {"crawl", "--seed-file", folder + "/seeds", "--data", folder + "/data"});
  EXPECT_EQ(said.code, 5) << said.output;
  EXPECT_NE(said.output.find("--seed-file"), std::string::npos) << said.output;
  EXPECT_FALSE(fs::exists(folder + "/data"));
}

TEST(UsageTest, AFolderThatIsNotThereIsNotFound) {
  for (const std::string command : {"top", "status", "audit"}) {
    const Said said = RunProgram("opic", {command, "--data", FreshFolder() + "/none"});
    EXPECT_EQ(said.code, 5) << command << ": " << said.output;
  }
}

TEST(UsageTest, ANodeThatDoesNotAnswerIsUnreachable) {
  const Said said = RunProgram("opic", {"status", "--node", "127.0.0.1:1", "--patience", "5s"});
  EXPECT_EQ(said.code, 6) << said.output;
}

class FolderTest : public testing::Test {
 protected:
  // A crawl of some pages, at rest; started twice, so that its store has sorted files.
  void SetUp() override {
    ASSERT_EQ(crawl_.Crawl({"--pages", "30"}).code, 0);
    ASSERT_EQ(crawl_.Crawl({"--pages", "60"}).code, 0);
    ASSERT_EQ(crawl_.Crawl({"--pages", "60"}).code, 0);
  }
  SampleCrawl crawl_{absl::Milliseconds(5), 200, 10};
};

TEST_F(FolderTest, AnotherCharterIsRefused) {
  const Said said = crawl_.Crawl({"--epsilon", "0.3"});
  EXPECT_EQ(said.code, 3) << said.output;
  crawl_.ExpectAuditIsExact();
  EXPECT_EQ(crawl_.Crawl().code, 0);
}

// The version follows the magic word of the charter.
TEST_F(FolderTest, AnotherFormatVersionIsRefused) {
  {
    auto store = store::OpenRocksStore(crawl_.data() + "/store", {});
    ASSERT_TRUE(store.ok()) << store.status();
    std::string charter = (*store)->Get(store::Table::kMeta, "charter").value().value();
    const std::string version(1, static_cast<char>(ledger::kFormatVersion));
    const size_t at = charter.find(version + std::string(3, '\0'));
    ASSERT_NE(at, std::string::npos);
    charter[at] = 99;
    store::Batch batch;
    batch.Put(store::Table::kMeta, "charter", charter);
    ASSERT_TRUE((*store)->Write(batch, store::Sync::kYes).ok());
  }
  const Said said = crawl_.Crawl();
  EXPECT_EQ(said.code, 3) << said.output;
  EXPECT_NE(said.output.find("99"), std::string::npos) << said.output;
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", crawl_.data()}).code, 3);
}

TEST_F(FolderTest, DamagedSortedFilesAreRefusedAndLeftAlone) {
  std::map<fs::path, std::string> whole, damaged;
  for (const fs::path& file : FilesNamed(crawl_.data() + "/store", ".sst")) {
    whole[file] = ReadAll(file);
    Damage(file);
    damaged[file] = ReadAll(file);
  }
  ASSERT_FALSE(whole.empty());
  const Said top = RunProgram("opic", {"top", "--data", crawl_.data()});
  EXPECT_EQ(top.code, 4) << top.output;
  const Said said = crawl_.Crawl();
  EXPECT_EQ(said.code, 4) << said.output;
  for (const auto& [file, bytes] : damaged) EXPECT_EQ(ReadAll(file), bytes) << file;
  for (const auto& [file, bytes] : whole) WriteAll(file, bytes);
  crawl_.ExpectAuditIsExact();
  EXPECT_EQ(crawl_.Crawl().code, 0);
}

TEST_F(FolderTest, ADamagedCheckpointIsRefusedAndLeftAlone) {
  const std::vector<fs::path> files = FilesNamed(crawl_.data() + "/checkpoints", ".ckpt");
  ASSERT_FALSE(files.empty());
  const std::string whole = ReadAll(files[0]);
  Damage(files[0]);
  const std::string damaged = ReadAll(files[0]);
  const Said audit = RunProgram("opic", {"audit", "--data", crawl_.data()});
  EXPECT_EQ(audit.code, 4) << audit.output;
  const Said said = crawl_.Crawl();
  EXPECT_EQ(said.code, 4) << said.output;
  EXPECT_EQ(ReadAll(files[0]), damaged);
  WriteAll(files[0], whole);
  crawl_.ExpectAuditIsExact();
}

TEST_F(FolderTest, AMissingCheckpointIsRefused) {
  const std::vector<fs::path> files = FilesNamed(crawl_.data() + "/checkpoints", ".ckpt");
  ASSERT_FALSE(files.empty());
  fs::remove(files[0]);
  const Said said = RunProgram("opic", {"audit", "--data", crawl_.data()});
  EXPECT_EQ(said.code, 4) << said.output;
}

TEST_F(FolderTest, QuestionsToAFolderAtRestChangeNothing) {
  const auto sizes = [&] {
    std::map<std::string, uintmax_t> files;
    for (const std::string folder : {"/store", "/checkpoints"}) {
      for (const auto& entry : fs::directory_iterator(crawl_.data() + folder)) {
        const std::string name = entry.path().filename();
        if (name.rfind("LOG", 0) != 0) files[name] = entry.file_size();
      }
    }
    return files;
  };
  const auto before = sizes();
  crawl_.ExpectAuditIsExact();
  crawl_.Ask("top");
  crawl_.Ask("status");
  EXPECT_EQ(sizes(), before);
}

TEST(LockTest, AFolderInUseIsRefusedButAnswers) {
  SampleCrawl crawl(absl::Milliseconds(300));
  const auto running = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(20));
  const Said second = crawl.Crawl();
  EXPECT_EQ(second.code, 3) << second.output;
  EXPECT_NE(second.output.find("in use"), std::string::npos) << second.output;
  crawl.ExpectAuditIsExact();  // asked of the process that runs
  EXPECT_EQ(crawl.Ask("status")["running"], true);
  EXPECT_TRUE(running->running());
}

TEST(LockTest, ARunningNodeIsStoppedByControl) {
  SampleCrawl crawl(absl::Milliseconds(200));
  const auto running = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(20));
  EXPECT_EQ(RunProgram("opic", {"control", "stop", "--data", crawl.data()}).code, 0);
  EXPECT_EQ(running->Wait(SampleCrawl::kPatience), 0) << running->output();
  crawl.ExpectAuditIsExact();
}

// Only the scheduler knows why a page waits; the node asks it over their session.
TEST(SchedulerBesideTest, ExplainAsksItByWayOfTheNode) {
  SampleCrawl crawl(absl::Seconds(60));
  const std::string data = crawl.folder() + "/scheduler";
  support::Process scheduler(
      {Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data", data, "--delay", "60s"},
      {.output = crawl.folder() + "/scheduler.out"});
  std::string address;
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    address = ReadAll(data + "/node.address");
    return !address.empty();
  }));
  address.pop_back();  // the end of its line
  const auto running = crawl.Start({"--scheduler", address});
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return RunProgram("opic", {"status", "--data", crawl.data()}).code == 0;
  }));
  const Said said = RunProgram("opic", {"explain", crawl.web().seed_url(), "--data", crawl.data()});
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("Its host: "), std::string::npos) << said.output;
  // The node passes that on, or the scheduler is asked itself.
  Words idle = {"explain", "--idle", "--data", crawl.data()};
  const Said passed_on = RunProgram("opic", idle);
  EXPECT_EQ(passed_on.code, 0) << passed_on.output;
  EXPECT_NE(passed_on.output.find("wait for"), std::string::npos) << passed_on.output;
  idle.insert(idle.end(), {"--scheduler", address});
  EXPECT_EQ(RunProgram("opic", idle).code, 0);
  // Neither a node nor a data folder is needed for that.
  const Said alone = RunProgram(
      "opic", {"explain", "--idle", "--scheduler", address, "--data", crawl.folder() + "/none"});
  EXPECT_EQ(alone.code, 0) << alone.output;
  EXPECT_NE(alone.output.find("wait for"), std::string::npos) << alone.output;
}

}  // namespace
}  // namespace opic::scenarios

// A disk that fills up while a crawl writes: the crawl ends, says so, and goes on when there is
// room.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

using support::Process;

TEST(FullDiskTest, AFileThatMayNotGrowEndsTheProcessAndNothingIsLost) {
  SampleCrawl crawl(absl::Milliseconds(5));
  const Said full = crawl.Crawl({}, {.file_bytes_max = 250'000});
  EXPECT_EQ(full.code, 74) << full.output;
  EXPECT_NE(full.output.find("Nothing is lost"), std::string::npos) << full.output;
  EXPECT_LT(crawl.PageHitCount(), crawl.web().reachable().size());
  crawl.ExpectAuditIsExact();
  const Said said = crawl.Crawl();  // there is room now
  ASSERT_EQ(said.code, 0) << said.output;
  crawl.ExpectReachableFetched(SampleCrawl::kInFlight + 64);
  crawl.ExpectAuditIsExact();
}

// What a command sets is the first that is to be written, by a crawl that has read all pages: the
// caller hears that it was not, the process ends, and what was confirmed before is there again.
class FullDiskCommandTest : public testing::TestWithParam<Words> {
 protected:
  // By its plan no page is read a second time while the test lasts.
  std::unique_ptr<Process> Start() {
    const std::string address = crawl_.data() + "/node.address";  // when it answers
    std::filesystem::remove(address);
    std::unique_ptr<Process> process = crawl_.Start(
        {"--continuous", "--rate", "200", "--refresh-shortest", "10h", "--refresh-longest", "100h"},
        {.file_bytes_max = uint64_t{1} << 40});
    EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return std::filesystem::exists(address);
    })) << process->output();
    EXPECT_TRUE(crawl_.AwaitPageHits(crawl_.web().reachable().size())) << process->output();
    EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      const nlohmann::json status = crawl_.Ask("status");
      return status["phase"] == "finished" && status["unread"] == 0 && status["in_flight"] == 0;
    })) << process->output();
    return process;
  }
  Said Run(Words words) const {
    const std::string command = words.front();
    words.erase(words.begin());
    words.insert(words.begin(), {command, "--data", crawl_.data()});
    return RunProgram("opic", words);
  }
  // The log that the store writes to.
  uint64_t LogBytes() const {
    std::string last;
    for (const auto& entry : std::filesystem::directory_iterator(crawl_.data() + "/store")) {
      if (entry.path().extension() == ".log") last = std::max(last, entry.path().string());
    }
    return last.empty() ? 0 : std::filesystem::file_size(last);
  }
  nlohmann::json InForce() const {
    return {crawl_.Ask("control", {"show"}), crawl_.Ask("publish", {"list"})};
  }

  SampleCrawl crawl_{absl::Milliseconds(5), 100, 10};
};

TEST_P(FullDiskCommandTest, IsRefusedAndEndsTheProcess) {
  std::unique_ptr<Process> process = Start();
  ASSERT_EQ(Run({"control", "block", "confirmed.test"}).code, 0);
  ASSERT_EQ(Run({"publish", "never", "--host", "confirmed.test"}).code, 0);
  const nlohmann::json before = InForce();
  process->LimitFiles(LogBytes());
  const Said refused = Run(GetParam());
  EXPECT_EQ(refused.code, 74) << refused.output;
  EXPECT_THAT(refused.output, testing::HasSubstr("File too large"));
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 74) << process->output();
  process = Start();
  EXPECT_EQ(InForce(), before);
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
  crawl_.ExpectAuditIsExact();
}

INSTANTIATE_TEST_SUITE_P(Commands, FullDiskCommandTest,
                         testing::Values(Words{"control", "block", "refused.test"},
                                         Words{"control", "pause"},
                                         Words{"control", "refresh", "--share", "0.5"},
                                         Words{"control", "seed", "http://refused.test/"},
                                         Words{"publish", "never", "--host", "refused.test"}));

// The crawl is none the worse; but whoever asked has no answer.
TEST(FullDiskTest, AnAnswerThatCannotBeWrittenIsAnError) {
  SampleCrawl crawl;
  ASSERT_EQ(crawl.Crawl({"--pages", "30"}).code, 0);
  for (const std::string command : {"top", "top --json", "status", "audit", "export --pages"}) {
    SCOPED_TRACE(command);
    const std::string script =
        Program("opic") + " " + command + " --data " + crawl.data() + " > /dev/full";
    Process shell({"/bin/sh", "-c", script}, {.output = crawl.folder() + "/shell.out"});
    EXPECT_EQ(shell.Wait(SampleCrawl::kPatience), 74);
    EXPECT_THAT(shell.output(),
                testing::HasSubstr("the standard output cannot be written: No space"));
  }
}

TEST(StandardFilesTest, AReaderThatHasGoneIsNoError) {
  SampleCrawl crawl;
  Words words = {"/bin/bash", "-c", "\"$@\" | true; exit ${PIPESTATUS[0]}", "bash",
                 Program("opic")};
  for (const std::string& word : crawl.CrawlWords({"--pages", "30"})) words.push_back(word);
  Process shell(words, {.output = crawl.folder() + "/shell.out"});
  EXPECT_EQ(shell.Wait(SampleCrawl::kPatience), 0) << shell.output();
}

// Else the summary would stand in the lock, which is the first file that is opened.
TEST(StandardFilesTest, ACrawlWithoutThemPrintsIntoNoFileOfItsOwn) {
  SampleCrawl crawl;
  Words words = {"/bin/sh", "-c", "exec \"$@\" >&- 2>&-", "sh", Program("opic")};
  for (const std::string& word : crawl.CrawlWords({"--pages", "30"})) words.push_back(word);
  Process shell(words, {.output = crawl.folder() + "/shell.out"});
  ASSERT_EQ(shell.Wait(SampleCrawl::kPatience), 0);
  for (const auto& file : std::filesystem::recursive_directory_iterator(crawl.data())) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(bytes.find("everything is saved"), std::string::npos) << file.path();
    EXPECT_EQ(bytes.find("pages/s"), std::string::npos) << file.path();
  }
}

// A small file system of its own, which needs no root where users may have mount namespaces. Tells
// four exit codes: of a crawl that fills it, of one that begins on the full disk (it may get
// through with what recovery sets free), of one with room again, and of the audit.
constexpr char kScript[] = R"(
mount -t tmpfs -o size="$1" tmpfs "$2" || exit 90
shift 2
"$@"; full=$?
"$@"; again=$?
mount -o remount,size=300M "$MOUNTED" || exit 91
"$@"; room=$?
"$1" audit --data "$MOUNTED"; audit=$?
echo "codes: $full $again $room $audit"
)";

// RocksDB tries a full disk a second time, from threads of its own, before the process has ended.
TEST(FullDiskTest, NoSpaceLeftEndsTheProcessAndRoomLetsItGoOn) {
  SampleCrawl crawl(absl::Milliseconds(0));
  std::filesystem::create_directories(crawl.data());
  for (const std::string size : {"700k", "900k", "1100k", "1300k"}) {
    Words words = {"/usr/bin/unshare", "-rm",          "/bin/sh", "-c", kScript, "sh", size,
                   crawl.data(),       Program("opic")};
    for (const std::string& word : crawl.CrawlWords({"--disk-free-min", "0"}))
      words.push_back(word);
    Process script(words, {.output = crawl.folder() + "/script.out",
                           .environment = {"MOUNTED=" + crawl.data()}});
    const std::optional<int> code = script.Wait(SampleCrawl::kPatience);
    if (code == 1 || code == 90) GTEST_SKIP() << "no mount namespace: " << script.output();
    EXPECT_THAT(script.output(), testing::ContainsRegex("codes: 74 (74|0) 0 0"));
    EXPECT_THAT(script.output(), testing::HasSubstr("No space left on device"));
  }
}

// Tells the exit codes of `opic status` and `opic health` on a disk that is nearly full, and of the
// crawl, which waits until it is not.
constexpr char kNearlyFull[] = R"sh(
mount -t tmpfs -o size=300M tmpfs "$MOUNTED" || exit 90
"$@" & crawl=$!
trap 'kill $crawl' EXIT
for _ in $(seq 600); do
  "$1" status --data "$MOUNTED" --json | grep -q '"low": true' && break
  sleep 0.1
done
"$1" status --data "$MOUNTED"; status=$?
"$1" health --node "$(cat "$MOUNTED/node.address")"; health=$?
mount -o remount,size=600M "$MOUNTED" || exit 91
wait $crawl; crawl=$?
trap - EXIT
echo "codes: $status $health $crawl"
)sh";

TEST(FullDiskTest, ANearlyFullDiskPausesTheCrawlUntilThereIsRoom) {
  SampleCrawl crawl(absl::Milliseconds(0));
  std::filesystem::create_directories(crawl.data());
  Words words = {"/usr/bin/unshare", "-rm", "/bin/sh", "-c", kNearlyFull, "sh", Program("opic")};
  for (const std::string& word : crawl.CrawlWords({"--disk-free-min", "400M"}))
    words.push_back(word);
  Process script(words, {.output = crawl.folder() + "/script.out",
                         .environment = {"MOUNTED=" + crawl.data()}});
  const std::optional<int> code = script.Wait(SampleCrawl::kPatience);
  if (code == 1 || code == 90) GTEST_SKIP() << "no mount namespace: " << script.output();
  EXPECT_THAT(script.output(), testing::HasSubstr("codes: 9 9 0"));
  EXPECT_THAT(script.output(), testing::HasSubstr("less than --disk-free-min"));
  crawl.ExpectReachableFetched(0);
}

}  // namespace
}  // namespace opic::scenarios

// A disk that fills up while a crawl writes: the crawl ends, says so, and goes on when there is
// room.
#include <gmock/gmock.h>

#include <filesystem>

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
    for (const std::string& word : crawl.CrawlWords()) words.push_back(word);
    Process script(words, {.output = crawl.folder() + "/script.out",
                           .environment = {"MOUNTED=" + crawl.data()}});
    const std::optional<int> code = script.Wait(SampleCrawl::kPatience);
    if (code == 1 || code == 90) GTEST_SKIP() << "no mount namespace: " << script.output();
    EXPECT_THAT(script.output(), testing::ContainsRegex("codes: 74 (74|0) 0 0"));
    EXPECT_THAT(script.output(), testing::HasSubstr("No space left on device"));
  }
}

}  // namespace
}  // namespace opic::scenarios

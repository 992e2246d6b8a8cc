#include "desk/fetch_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>

#include "absl/time/clock.h"
#include "base/file.h"
#include "tests/support/log_lines.h"
#include "tests/support/own_path.h"

namespace opic::desk {
namespace {

// While it lives no file grows beyond `bytes`: what is longer is written in part.
class FullDisk {
 public:
  explicit FullDisk(size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*const handler_)(int);
  rlimit before_ = {};
};

TEST(FetchLogTest, LinesAreThereAtOnceAndAppendedToTheLastRun) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLine line;
  line.url = "http://a.test/\"";
  line.outcome = "fetched";
  line.status = 200;
  FetchLog(path).Append(line);
  FetchLog log(path);
  log.Append(line);
  const std::string text = base::ReadFile(path).value();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_NE(text.find(R"("url":"http://a.test/\"","outcome":"fetched","status":200)"),
            std::string::npos)
      << text;
  EXPECT_EQ(log.lost(), 0u);
}

TEST(FetchLogTest, ALineIsWrittenToTheByte) {
  FetchLine line;
  line.at = absl::FromUnixMillis(1795231735874);
  line.url = "http://a.test/x";
  line.outcome = "fetched";
  line.status = 200;
  line.error = "cut";
  line.detail = "\"\\\n\xc3\xa4\xff\x7f.";
  line.wire_bytes = 12773, line.body_bytes = 12582;
  line.duration = absl::Microseconds(400);
  line.links = 112;
  line.content_type = "text/html; charset=utf-8";
  line.address = "127.0.0.1";
  line.other_scheme = 3, line.nofollow = 1;
  line.shard = 727, line.depth = 1, line.digest = 0xab;
  line.referrer = "http://b.test/";
  EXPECT_EQ(Begin(line),
            R"({"time":1795231735.874,"url":"http://a.test/x","outcome":"fetched","status":200,)"
            R"("error":"cut","detail":"\"\\\u000a)"
            "\xc3\xa4\xef\xbf\xbd"
            R"(\u007f.","wire_bytes":12773,"body_bytes":12582,"seconds":0.0004,"links":112,)"
            R"("content_type":"text/html; charset=utf-8","address":"127.0.0.1",)"
            R"("links_left_out":{"other_scheme":3,"nofollow":1},"shard":727,"depth":1,)"
            R"("referrer":"http://b.test/","digest":"00000000000000ab")");
}

TEST(FetchLogTest, ALineSaysWhatIsRareOnlyWhereItIs) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLog log(path);
  FetchLine line;
  log.Append(line);
  line.robots = "rules";
  line.left_out = {"body", "links"};
  line.declared_bytes = 0;
  line.cookies = 3;
  line.too_long = 2;
  line.requested = false;
  line.shard = 0, line.depth = 4, line.digest = 0xab;
  log.Append(line);
  const std::string text = base::ReadFile(path).value();
  const std::string common = R"("content_type":"","address":"")";
  EXPECT_NE(text.find(common + "}\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find(common + R"(,"robots":"rules","left_out":["body","links"],)" +
                R"("declared_bytes":0,"cookies":3,"links_left_out":{"too_long":2},)" +
                R"("requested":false,"shard":0,"depth":4,"digest":"00000000000000ab"})" + "\n"),
      std::string::npos)
      << text;
}

TEST(FetchLogTest, LinesOfRecordedVisitsTellTheImportanceOfTheirPages) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLog log(path);
  log.Append(FetchLine());
  const std::string plain = base::ReadFile(path).value();
  ::unlink(path.c_str());
  FetchLog again(path);
  again.Append({{Begin(FetchLine()), 0.0012345678}, {Begin(FetchLine()), std::nullopt}});
  const std::string begun = plain.substr(0, plain.size() - 2);
  EXPECT_EQ(base::ReadFile(path).value(), begun + ",\"importance\":0.00123457}\n" + plain);
  FetchLog("/nonexistent/fetches.jsonl").Append(absl::Span<const RecordedLine>());
}

TEST(FetchLogTest, LinesThatCannotBeWrittenAreCountedAndTold) {
  const support::LogLines told;
  FetchLog nowhere("/nonexistent/fetches.jsonl");
  nowhere.Append(FetchLine());
  EXPECT_EQ(nowhere.lost(), 1u);
  nowhere.Append({{Begin(FetchLine()), 1.0}, {Begin(FetchLine()), 1.0}});
  EXPECT_EQ(nowhere.lost(), 3u);
  FetchLog full("/dev/full");
  full.Append(FetchLine());
  EXPECT_EQ(full.lost(), 1u);
  EXPECT_EQ(told.With("/nonexistent/fetches.jsonl cannot be written: No such file or directory"),
            1);
  EXPECT_EQ(told.With("/dev/full cannot be written: No space left on device"), 1);
}

// A process that was killed while it wrote: the next one's first line was glued to the half one.
TEST(FetchLogTest, HalfALineOfTheLastRunIsCutOff) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLog(path).Append(FetchLine());
  const std::string line = base::ReadFile(path).value();
  for (const std::string& whole : {std::string(), line, line + line}) {
    std::ofstream(path) << whole << line.substr(0, line.size() / 2);
    FetchLog(path).Append(FetchLine());
    EXPECT_EQ(base::ReadFile(path).value(), whole + line);
  }
}

TEST(FetchLogTest, WhatIsTooLongForALineIsEnded) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLog(path).Append(FetchLine());
  const std::string line = base::ReadFile(path).value();
  const std::string other(1 << 20, 'x');
  std::ofstream(path) << other;
  FetchLog(path).Append(FetchLine());
  EXPECT_EQ(base::ReadFile(path).value(), other + "\n" + line);
}

// Such as a file of one line of JSON, named by mistake.
TEST(FetchLogTest, WhatAnotherProgramWroteIsNotCut) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLog(path).Append(FetchLine());
  const std::string line = base::ReadFile(path).value();
  for (const std::string other : {"{\"a\":1}", "a line\nand another"}) {
    std::ofstream(path) << other;
    FetchLog(path).Append(FetchLine());
    EXPECT_EQ(base::ReadFile(path).value(), other + "\n" + line);
  }
}

TEST(FetchLogTest, AFullDiskLeavesNoHalfLineBeforeTheNext) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLog log(path);
  log.Append(FetchLine());
  const std::string line = base::ReadFile(path).value();
  {
    const FullDisk disk(line.size() * 3 / 2);
    for (int i = 0; i < 3; ++i) log.Append(FetchLine());
  }
  EXPECT_EQ(log.lost(), 3u);
  const support::LogLines told;
  log.Append(FetchLine());
  EXPECT_EQ(told.With("is written again; up to 3 of its lines were lost"), 1);
  EXPECT_EQ(log.lost(), 3u);
  EXPECT_EQ(base::ReadFile(path).value(), line + line);
}

// What an operator does who wants an older file out of the way.
TEST(FetchLogTest, AFileThatWasMovedAwayIsBegunAnew) {
  const std::string path = support::OwnPath("fetches.jsonl");
  ::unlink(path.c_str());
  FetchLog log(path);
  log.Append(FetchLine());
  ASSERT_EQ(std::rename(path.c_str(), (path + ".away").c_str()), 0);
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (access(path.c_str(), F_OK) != 0 && absl::Now() < deadline) log.Append(FetchLine());
  EXPECT_TRUE(base::ReadFile(path).ok());
}

TEST(FetchLogTest, AFullFileIsMovedAndTheOldestIsDropped) {
  const std::string path = support::OwnPath("fetches.jsonl");
  for (const char* end : {"", ".1", ".2", ".3"}) ::unlink((path + end).c_str());
  FetchLog(path).Append(FetchLine());
  const size_t line_bytes = base::ReadFile(path)->size();
  FetchLog log(path, {.bytes_max = 3 * line_bytes, .older_files = 2});
  for (int i = 0; i < 20; ++i) log.Append(FetchLine());
  EXPECT_EQ(log.lost(), 0u);
  for (const char* end : {"", ".1", ".2"}) {
    const auto bytes = base::ReadFile(path + end);
    ASSERT_TRUE(bytes.ok()) << end;
    EXPECT_LE(bytes->size(), 3 * line_bytes) << end;
    EXPECT_GE(bytes->size(), line_bytes) << end;
  }
  EXPECT_FALSE(base::ReadFile(path + ".3").ok());
}

TEST(FetchLogTest, NoOlderFilesAreKeptWhenNoneAreWanted) {
  const std::string path = support::OwnPath("fetches.jsonl");
  for (const char* end : {"", ".1"}) ::unlink((path + end).c_str());
  FetchLog log(path, {.bytes_max = 1000, .older_files = 0});
  for (int i = 0; i < 50; ++i) log.Append(FetchLine());
  EXPECT_LE(base::ReadFile(path)->size(), 1000u);
  EXPECT_FALSE(base::ReadFile(path + ".1").ok());
}

}  // namespace
}  // namespace opic::desk

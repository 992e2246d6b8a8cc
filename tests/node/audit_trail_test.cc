#include "node/audit_trail.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

// While it lasts, no file of this process grows above so many bytes: a write is cut there, and the
// next one fails, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

class AuditTrailTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/opic_audit_trail-" + test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Reopen();
  }
  void Reopen() {
    trail_.reset();
    auto opened = AuditTrail::Open(path(), limits_, store_.get());
    ASSERT_TRUE(opened.ok()) << opened.status();
    trail_ = *std::move(opened);
  }
  std::string path() const { return folder_ + "/audit.jsonl"; }
  static Act Some(const std::string& name, absl::Status result = absl::OkStatus()) {
    return {.at = absl::FromUnixMillis(1'700'000'000'123),
            .name = name,
            .what = "{\"paused\":true}",
            .role = "operator",
            .holder = "token",
            .user = "anna@desk",
            .address = "ipv4:127.0.0.1:1",
            .result = std::move(result)};
  }
  static std::vector<std::string> LinesOf(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  AuditTrail::Limits limits_;
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<AuditTrail> trail_;
  std::string folder_;
};

TEST_F(AuditTrailTest, EachActIsAJsonLine) {
  trail_->Append(Some("Pause"), "anna");
  trail_->Append(Some("Stop", absl::UnavailableError("\"not\" now\n")), "anna");
  const std::vector<std::string> lines = LinesOf(path());
  ASSERT_EQ(lines.size(), 2u);
  const auto first = nlohmann::json::parse(lines[0]), second = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(first["act"], "Pause");
  EXPECT_EQ(first["what"]["paused"], true);
  EXPECT_EQ(first["user"], "anna@desk");
  EXPECT_EQ(first["result"], "OK");
  EXPECT_FALSE(first.contains("message"));
  EXPECT_EQ(second["result"], "UNAVAILABLE");
  EXPECT_EQ(second["message"], "\"not\" now\n");
}

// Cut in the middle of a character it was no UTF-8, and nobody could be told the settings in force.
TEST_F(AuditTrailTest, WhoDidItLastIsCutBetweenCharacters) {
  trail_->Append(Some("Pause"), std::string(255, 'a') + "\xc3\xa4");
  ASSERT_EQ(trail_->last().size(), 1u);
  EXPECT_EQ(trail_->last().front().by, std::string(255, 'a'));
  Reopen();
  EXPECT_EQ(trail_->last().front().by, std::string(255, 'a'));
}

TEST_F(AuditTrailTest, TheLastOfEachKindIsKnownAfterARestart) {
  trail_->Append(Some("Pause"), "anna");
  trail_->Append(Some("Pause"), "bert");
  trail_->Append(Some("Stop", absl::UnavailableError("no")), "bert");
  Reopen();
  const std::vector<LastAct> last = trail_->last();
  ASSERT_EQ(last.size(), 1u) << "what was refused changed nothing";
  EXPECT_EQ(last[0].name, "Pause");
  EXPECT_EQ(last[0].by, "bert");
  EXPECT_EQ(last[0].at, absl::FromUnixMillis(1'700'000'000'123));
}

TEST_F(AuditTrailTest, AFullFileIsRotatedAndTheOldestDropped) {
  limits_ = {.bytes_max = 500, .older_files = 2};
  Reopen();
  for (int i = 0; i < 20; ++i) trail_->Append(Some("Pause"), "anna");
  EXPECT_LE(std::filesystem::file_size(path()), 500u);
  EXPECT_FALSE(LinesOf(path() + ".1").empty());
  EXPECT_FALSE(LinesOf(path() + ".2").empty());
  EXPECT_FALSE(std::filesystem::exists(path() + ".3"));
}

TEST_F(AuditTrailTest, ALineThatACrashHasCutIsEnded) {
  std::ofstream(path()) << "{\"time\":17";
  trail_->Append(Some("Pause"), "anna");
  const std::vector<std::string> lines = LinesOf(path());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["act"], "Pause");
}

// It took the next line with it, once there was room again.
TEST_F(AuditTrailTest, ALineThatAFullDiskHasCutIsTakenBack) {
  trail_->Append(Some("Pause"), "anna");
  const uint64_t bytes = std::filesystem::file_size(path());
  {
    const FullDisk full(bytes + 20);
    trail_->Append(Some("Stop"), "anna");
  }
  EXPECT_EQ(std::filesystem::file_size(path()), bytes);
  trail_->Append(Some("Publish"), "anna");
  const std::vector<std::string> lines = LinesOf(path());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["act"], "Publish");
}

// The newline that ends it had no room.
TEST_F(AuditTrailTest, ALineThatCannotBeEndedIsEndedBeforeTheNextOne) {
  std::ofstream(path()) << "{\"time\":17";
  {
    const FullDisk full(std::filesystem::file_size(path()));
    trail_->Append(Some("Stop"), "anna");
  }
  trail_->Append(Some("Publish"), "anna");
  const std::vector<std::string> lines = LinesOf(path());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["act"], "Publish");
}

TEST_F(AuditTrailTest, AFileThatWasMovedAwayIsBegunAnew) {
  trail_->Append(Some("Pause"), "anna");
  std::filesystem::rename(path(), path() + ".mine");
  trail_->Append(Some("Stop"), "anna");
  EXPECT_EQ(LinesOf(path()).size(), 1u);
}

TEST_F(AuditTrailTest, ALongRequestIsCutAndTheLineStaysJson) {
  Act act = Some("AddSeeds");
  act.what = "{\"urls\":[\"" + std::string(100'000, 'x') + "\"]}";
  trail_->Append(act, "anna");
  const auto line = nlohmann::json::parse(LinesOf(path()).front());
  EXPECT_EQ(line["what"]["bytes"], act.what.size());
  EXPECT_LT(LinesOf(path()).front().size(), 2 * AuditTrail::kWhatBytesMax);
}

TEST_F(AuditTrailTest, AnActIsDoneThoughItsLineCannotBeWritten) {
  std::filesystem::remove_all(folder_);
  trail_->Append(Some("Pause"), "anna");
  EXPECT_EQ(trail_->last().size(), 1u);
}

}  // namespace
}  // namespace opic::node

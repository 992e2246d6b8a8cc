// Seeds as people write them.
#include "cli/seed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <streambuf>

namespace opic::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Seeds(std::string_view text) {
  const absl::StatusOr<SeedFile> file = ParseSeeds(text, "seeds");
  EXPECT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->junk_lines, 0u) << file->junk[0];
  return file->seeds;
}

TEST(SeedFileTest, CommentsAndBlankLinesAreLeftOut) {
  EXPECT_THAT(Seeds("# all of them\n\n  http://a.test/  \n\t\nhttp://b.test/ # the second\n"
                    "http://c.test/\t#third\n#http://d.test/\n"),
              ElementsAre("http://a.test/", "http://b.test/", "http://c.test/"));
}

TEST(SeedFileTest, AFragmentIsNoComment) {
  EXPECT_THAT(Seeds("http://a.test/#top\n"), ElementsAre("http://a.test/#top"));
}

TEST(SeedFileTest, AsEditorsOfWindowsWriteThem) {
  EXPECT_THAT(Seeds("\xef\xbb\xbfhttp://a.test/\r\nhttp://b.test/\r\n\r\n"),
              ElementsAre("http://a.test/", "http://b.test/"));
  const absl::Status utf16 = ParseSeeds(std::string_view("\xff\xfeh\0t\0", 6), "seeds").status();
  EXPECT_TRUE(absl::IsInvalidArgument(utf16));
  EXPECT_THAT(std::string(utf16.message()), HasSubstr("UTF-16"));
}

TEST(SeedFileTest, TheLastLineNeedsNoEnd) {
  EXPECT_THAT(Seeds("http://a.test/"), ElementsAre("http://a.test/"));
  EXPECT_THAT(Seeds(""), IsEmpty());
}

TEST(SeedFileTest, JunkIsNamedWithFileAndLineAndLeftOut) {
  const absl::StatusOr<SeedFile> file =
      ParseSeeds("http://a.test/\nmailto:foo@example.org\ngit.test\nhttp://b.test/\n", "my seeds");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->seeds, ElementsAre("http://a.test/", "http://b.test/"));
  EXPECT_EQ(file->junk_lines, 2u);
  ASSERT_EQ(file->junk.size(), 2u);
  EXPECT_THAT(file->junk[0], HasSubstr("my seeds:2: \"mailto:foo@example.org\""));
  EXPECT_THAT(file->junk[1], HasSubstr("my seeds:3: \"git.test\""));
  EXPECT_THAT(file->junk[1], HasSubstr("did you mean \"http://git.test/\"?"));
}

TEST(SeedFileTest, OfMuchJunkSomeIsReportedAndAllIsCounted) {
  std::string text;
  for (int line = 0; line < 100'000; ++line) text += "junk\n";
  const absl::StatusOr<SeedFile> file = ParseSeeds(text, "seeds");
  EXPECT_EQ(file->junk_lines, 100'000u);
  EXPECT_EQ(file->junk.size(), kJunkShown);
}

// Whatever is in it: no crash, and no seed that is not a URL.
TEST(SeedFileTest, AnyBytesAreRead) {
  std::string bytes;
  uint32_t random = 1;
  for (int i = 0; i < 200'000; ++i) {
    random = random * 1664525 + 1013904223;
    const uint32_t drawn = random >> 24 & 15;
    if (drawn == 15) bytes += "http://a.t/";  // which these would never make
    if (drawn < 15) bytes.push_back("\n\r #h:/.at\0\xff\xef\xbb\xbf"[drawn]);
  }
  const absl::StatusOr<SeedFile> file = ParseSeeds(bytes, "seeds");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_FALSE(file->seeds.empty());
  EXPECT_GT(file->junk_lines, 0u);
  for (const std::string& seed : file->seeds) EXPECT_TRUE(CheckSeed(seed).ok()) << seed;
}

TEST(CheckSeedTest, OffersWhatWasMeant) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"git.test", "http://git.test/"},
      {"git.test/a?b=1", "http://git.test/a?b=1"},
      {"localhost:8080", "http://localhost:8080/"},
      {"ftp://a.test/", ""},
      {"mailto:a@b.test", ""},
      {"word", ""},
      {"", ""},
  };
  for (const auto& [typed, meant] : cases) {
    const std::string said(CheckSeed(typed).message());
    EXPECT_THAT(said, HasSubstr("is not a URL")) << typed;
    if (meant.empty()) {
      EXPECT_THAT(said, testing::Not(HasSubstr("did you mean"))) << typed;
    } else {
      EXPECT_THAT(said, HasSubstr("did you mean \"" + meant + "\"?")) << typed;
    }
  }
  EXPECT_TRUE(CheckSeed("https://a.test/").ok());
}

class ReadSeedsTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<std::string>> Read(const std::string& text, bool strict) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadSeeds(path_, strict);
  }
  ~ReadSeedsTest() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "/opic_seeds_" + std::to_string(getpid()) +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ReadSeedsTest, StrictRefusesAndSaysWhere) {
  const absl::Status status = Read("http://a.test/\njunk\n", true).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_ + ":2: \"junk\""));
  EXPECT_TRUE(Read("http://a.test/ # one\n", true).ok());
}

TEST_F(ReadSeedsTest, WithoutItJunkIsReportedAndCounted) {
  testing::internal::CaptureStderr();
  const auto seeds = Read("http://a.test/\njunk\nmore junk\n", false);
  const std::string shown = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(seeds.ok()) << seeds.status();
  EXPECT_THAT(*seeds, ElementsAre("http://a.test/"));
  EXPECT_THAT(shown, HasSubstr(path_ + ":3: \"more junk\""));
  EXPECT_THAT(shown, HasSubstr("2 lines"));
  EXPECT_THAT(shown, HasSubstr("1 seed is left"));
}

// A stream without an end, as of `yes` or of a disk.
class Endless : public std::streambuf {
 public:
  explicit Endless(char byte) { std::fill(block_, block_ + sizeof(block_), byte); }
  int_type underflow() override {
    given_ += sizeof(block_);
    setg(block_, block_, block_ + sizeof(block_));
    return traits_type::to_int_type(block_[0]);
  }
  uint64_t given() const { return given_; }

 private:
  char block_[4096];
  uint64_t given_ = 0;
};

TEST(ReadSeedTextTest, StandardInputIsBounded) {
  for (const char byte : {'x', '\n', '\0'}) {
    Endless endless(byte);
    std::istream in(&endless);
    const absl::Status refused = ReadSeedText(in, 1 << 20).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << "exit code 2, as of any wrong input";
    EXPECT_THAT(refused.message(), HasSubstr("standard input has more than"));
    EXPECT_LE(endless.given(), 2u << 20);
  }
}

TEST(ReadSeedTextTest, ALineThatIsTooLongIsJunkAndCut) {
  std::istringstream in("http://a.test/\n" + std::string(10 << 20, 'x') + "\nhttp://b.test/\n");
  const auto text = ReadSeedText(in, 1 << 30);
  ASSERT_TRUE(text.ok());
  EXPECT_LT(text->size(), 70'000u);
  const absl::StatusOr<SeedFile> file = ParseSeeds(*text, "standard input");
  EXPECT_THAT(file->seeds, ElementsAre("http://a.test/", "http://b.test/"));
  ASSERT_EQ(file->junk.size(), 1u);
  EXPECT_THAT(file->junk[0], HasSubstr("standard input:2: "));
  EXPECT_THAT(file->junk[0], HasSubstr("more than 65536 bytes"));
  EXPECT_LT(file->junk[0].size(), 400u);
}

TEST_F(ReadSeedsTest, ARefusalCountsItsLines) {
  EXPECT_THAT(Read("http://a.test/\njunk\n", true).status().message(),
              HasSubstr(" is not a URL; without --strict it is left out"));
  EXPECT_THAT(Read("http://a.test/\njunk\nmore\n", true).status().message(),
              HasSubstr(" are not a URL; without --strict they are left out"));
}

TEST_F(ReadSeedsTest, NothingButJunkIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(Read("junk\n", false).status()));
}

TEST(SeedFileTest, OfAnExportTheUnreadPagesAreSeeds) {
  const std::string text =
      R"({"url":"http://a.test/#x","state":"unread","depth":3}
{"url":"http://a.test/read","state":"fetched"}
  {"url":"http://a.test/ #not a comment","state":"unread"}
{"url":7,"state":"unread"}
{"url":"http://a.test/cut
http://b.test/  # a comment
{"url":"mailto:a@b.test","state":"unread"}
{"url":"http://a.test/no-state"}
)";
  const absl::StatusOr<SeedFile> file = ParseSeeds(text, "dump");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->seeds,
            (std::vector<std::string>{"http://a.test/#x", "http://a.test/ #not a comment",
                                      "http://b.test/"}));
  EXPECT_EQ(file->visited, 2u);
  EXPECT_EQ(file->junk_lines, 3u);
  EXPECT_EQ(file->junk[0].rfind("dump:4: ", 0), 0u) << file->junk[0];
}

// Its crawl may have visited them as such, or not at all yet.
TEST(SeedFileTest, OfAnExportPagesOutOfScopeAreNoVisitedOnes) {
  const absl::StatusOr<SeedFile> file = ParseSeeds(
      R"({"url":"http://a.test/","state":"fetched"}
{"url":"http://b.test/","state":"out_of_scope","visits":0}
{"url":"http://c.test/","state":"out_of_scope","visits":1}
{"url":"http://a.test/x","state":"unread"}
)",
      "dump");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->seeds, ElementsAre("http://a.test/x"));
  EXPECT_EQ(file->visited, 1u);
  EXPECT_EQ(file->out_of_scope, 2u);
}

TEST_F(ReadSeedsTest, WhatAnExportsPagesAreLeftOutForIsTold) {
  const std::string unread = "{\"url\":\"http://a.test/\",\"state\":\"unread\"}\n";
  const std::string fetched = "{\"url\":\"http://b.test/\",\"state\":\"fetched\"}\n";
  const std::string outside = "{\"url\":\"http://c.test/\",\"state\":\"out_of_scope\"}\n";
  const auto said = [this](const std::string& text) {
    testing::internal::CaptureStderr();
    EXPECT_TRUE(Read(text, true).ok());
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(unread), "");
  EXPECT_EQ(
      said(unread + outside),
      "opic: left out of " + path_ + ": 1 page out of its crawl's scope; 1 unread page is left\n");
  EXPECT_EQ(said(fetched + unread + fetched + outside),
            "opic: left out of " + path_ +
                ": 2 pages that had been visited, 1 page out of its crawl's scope; "
                "1 unread page is left\n");
}

TEST(SeedFileTest, CredentialsAreSeen) {
  EXPECT_EQ(WithCredentials({"http://u:p@a.test/", "http://u@a.test?q", "https://u:p@a.test"}), 3u);
  EXPECT_EQ(WithCredentials({"http://a.test/@b", "http://a.test?u@b", "http://a.test/#@",
                             "a@b.test", "http://a.test"}),
            0u);
}

}  // namespace
}  // namespace opic::cli

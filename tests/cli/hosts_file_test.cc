#include "cli/hosts_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using schedule::HostName;
using schedule::HostRule;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::vector<HostRule> RulesIn(const std::string& text) {
  const absl::StatusOr<node::HostsFile> file = ParseHostsFile(text, "hosts");
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? file->rules : std::vector<HostRule>();
}

std::string Refusal(const std::string& text) {
  const absl::Status status = ParseHostsFile(text, "hosts").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << text << ": " << status;
  return std::string(status.message());
}

TEST(HostsFileReaderTest, ALineHasTheWordsOfControl) {
  EXPECT_THAT(RulesIn("host www.Example.org. delay 1.5s pages 20 bytes 2K\n"
                      "domain example.org pages 0\n"
                      "host a.test block delay 10\n"),
              ElementsAre(HostRule{.name = "example.org", .domain = true, .pages = 0},
                          HostRule{.name = "a.test", .blocked = true, .delay = absl::Seconds(10)},
                          HostRule{.name = "www.example.org",
                                   .delay = absl::Milliseconds(1500),
                                   .pages = 20,
                                   .bytes = 2048}))
      << "domains first, by name";
}

TEST(HostsFileReaderTest, CommentsBlankLinesAMarkAndLineEndsOfWindowsAreLeftOut) {
  EXPECT_THAT(RulesIn("\xef\xbb\xbf# ours\r\n\r\n  host\ta.test   block # asked to\r\n \t\n#x"),
              ElementsAre(HostRule{.name = "a.test", .blocked = true}));
  for (const char* nothing : {"", "\n", "\r\n", "#", "\xef\xbb\xbf", " \t\r"})
    EXPECT_THAT(RulesIn(nothing), IsEmpty());
}

TEST(HostsFileReaderTest, AHostMayBeAUrlAnAddressOrAName) {
  EXPECT_THAT(RulesIn("host http://A.test:8080/x?y#z block\nhost 2001:db8::7 block\n"
                      "host localhost block\n"),
              ElementsAre(HostRule{.name = "[2001:db8::7]", .blocked = true},
                          HostRule{.name = "a.test", .blocked = true},
                          HostRule{.name = "localhost", .blocked = true}));
}

TEST(HostsFileReaderTest, AWrongLineIsNamedWithItsValueAndWhatToWrite) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"a.test block",
       "\"a.test\": a line must begin with \"host NAME\", \"domain NAME\" or "
       "\"group NAME\"; did you mean \"host a.test\"?"},
      {"hots a.test block", "did you mean \"host\"?"},
      {"gruop x pages 5", "did you mean \"group\"?"},
      {"host", "must be followed by a name"},
      {"host a.test",
       "host \"a.test\" has no setting: give block, delay TIME, parallel N, share PERCENT, pages "
       "N"},
      {"host a.test slow",
       "\"slow\" is not a setting of a host; it must be one of block, delay TIME"},
      {"host a.test dealy 5s", "did you mean \"delay\"?"},
      {"host a.test delay", "\"delay\" needs a value"},
      {"host a.test delay soon", "line 2: delay: \"soon\" is not valid; it must be a time such as"},
      {"host a.test delay -1s", "delay: \"-1s\" is not valid"},
      {"host a.test delay 25h", "a delay of 25h: must be from 0s to 24h"},
      {"host a.test pages many", "pages: \"many\" is not valid; it must be a whole number"},
      {"host a.test pages -1", "pages: \"-1\" is not valid"},
      {"host a.test bytes 5X", "bytes: \"5X\" is not valid; it must be a size such as"},
      {"host a.test bytes 2097152T", "must be at most 2^60"},
      {"host a.test delay 1s delay 2s", "\"delay\" stands twice"},
      {"host a.test block block", "\"block\" stands twice"},
      {"host a.test/path block", "give \"a.test\""},
      {"host 300.1.1.1 block", "is not a host"},
      {"host *.a.test block", "give domain a.test for a domain with all its hosts"},
      {"domain *.a.test block", "give domain a.test for a domain with all its hosts"},
      {"domain www.example.org block", "give that one, or write \"host\" for this host alone"},
      {"domain co.uk block", "not a registrable domain"},
      {"host a.test group none", "line 2: a.test is in the group none, which has no line: write"},
      {"host a.test group a/b", "group: \"a/b\" is no name of a group"},
      {"host a.test group " + std::string(65, 'x'), "is no name of a group"},
      {"domain www.example.org group ok", "write \"host\" for this host alone"},
      {"group a.test",
       "group \"a.test\" has no setting: give delay TIME, parallel N, share PERCENT, pages N"},
      {"group x block", "\"block\" is not a setting of a group; it must be one of delay TIME"},
      {"group x delay 25h", "a delay of 25h: must be from 0s to 24h"},
      {"host a.test share 5", "share: \"5\" must be a part of --rate: above 0%, up to 100%"},
      {"domain example.org share -5%", "must be a part of --rate"},
      {"host a.test share 5% share 6%", "\"share\" stands twice"},
      {"host a.test share 5% group farm", "a.test has a share, and is in the group farm"},
      {"group x share 5", "share: \"5\" must be a part of --rate: above 0%, up to 100%"},
      {"group x share 0%", "above 0%"},
      {"group x share 101%", "up to 100%"},
      {"group x share nan%", "share: \"nan%\" must be a part"},
      {"group x pages 2305843009213693952", "pages: \"2305843009213693952\" is not valid"},
      {"group x bytes 2097152T", "must be at most 2^60"},
      {"host ok.test delay 1s", "host ok.test is in line 1, too: put all its settings into one"}};
  for (const auto& [line, part] : cases) {
    const std::string refusal = Refusal("host ok.test block\n" + line + "\nhost c.test block\n");
    EXPECT_THAT(refusal, HasSubstr("--hosts-file hosts, line 2: ")) << line;
    EXPECT_THAT(refusal, HasSubstr(part)) << line;
  }
}

TEST(HostsFileReaderTest, HostsAndDomainsMayBeInAGroup) {
  const absl::StatusOr<node::HostsFile> file = ParseHostsFile(
      "host a.test group farm\ndomain b.test delay 5s group farm\nhost www.b.test group shop\n"
      "group farm pages 100 bytes 1K\ngroup shop bytes 7 delay 1500ms share 2.5%\n",
      "hosts");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->rules,
              ElementsAre(HostRule{.name = "b.test", .domain = true, .delay = absl::Seconds(5)}))
      << "a group alone is no rule";
  EXPECT_EQ(file->groups.at("farm"), (node::GroupSettings{100, 1024}));
  EXPECT_EQ(file->groups.at("shop"),
            (node::GroupSettings{std::nullopt, 7, absl::Milliseconds(1500), 0.025}));
  EXPECT_EQ(*file->GroupOf("a.test", "a.test"), "farm");
  EXPECT_EQ(file->GroupOf("www.a.test", "a.test"), nullptr);
  EXPECT_EQ(*file->GroupOf("ftp.b.test", "b.test"), "farm");
  EXPECT_EQ(*file->GroupOf("www.b.test", "b.test"), "shop") << "the nearer one";
}

TEST(HostsFileReaderTest, SaysHowManyRequestsThereMayBeAtOnce) {
  const absl::StatusOr<node::HostsFile> file = ParseHostsFile(
      "host a.test parallel 8\ndomain b.test parallel 1 delay 0s\ngroup g parallel 100\n", "hosts");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(
      file->rules,
      ElementsAre(
          HostRule{.name = "b.test", .domain = true, .delay = absl::ZeroDuration(), .parallel = 1},
          HostRule{.name = "a.test", .parallel = 8}));
  EXPECT_EQ(file->groups.at("g").parallel, 100u);
  for (const char* wrong : {"0", "101", "-1", "many", "2.5"}) {
    EXPECT_THAT(Refusal(absl::StrCat("host a.test parallel ", wrong)),
                HasSubstr("must be a number of requests at once, from 1 to 100"))
        << wrong;
  }
}

TEST(HostsFileReaderTest, AHostOrADomainMayHaveAShareOfItsOwn) {
  const absl::StatusOr<node::HostsFile> file =
      ParseHostsFile("host WWW.b.test share 2.5%\ndomain b.test share 100% pages 7\n", "hosts");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->shares, ElementsAre(Pair(HostName{true, "b.test"}, 1.0),
                                        Pair(HostName{false, "www.b.test"}, 0.025)));
  EXPECT_THAT(file->rules, ElementsAre(HostRule{.name = "b.test", .domain = true, .pages = 7}))
      << "a share alone is no rule";
  EXPECT_TRUE(file->groups.empty());
}

TEST(HostsFileReaderTest, AHostOrADomainMayHaveADepth) {
  const absl::StatusOr<node::HostsFile> file =
      ParseHostsFile("host WWW.b.test depth 0\ndomain b.test depth 12 pages 7\n", "hosts");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->depths, ElementsAre(Pair(HostName{true, "b.test"}, 12u),
                                        Pair(HostName{false, "www.b.test"}, 0u)));
  EXPECT_THAT(file->rules, ElementsAre(HostRule{.name = "b.test", .domain = true, .pages = 7}))
      << "a depth alone is no rule";
  for (const char* wrong : {"-1", "deep", "1.5", "99999999999"}) {
    EXPECT_THAT(Refusal(absl::StrCat("host a.test depth ", wrong)),
                HasSubstr("must be a number of links from a seed"))
        << wrong;
  }
  EXPECT_THAT(Refusal("group g depth 2"), HasSubstr("is not a setting of a group"));
}

TEST(HostsFileReaderTest, AHostAndTheDomainOfItsNameAreTwo) {
  EXPECT_EQ(RulesIn("host example.org block\ndomain example.org delay 1s").size(), 2u);
}

TEST(HostsFileReaderTest, GarbageIsRefusedAndNotEchoedWhole) {
  for (const std::string& garbage :
       {std::string(1 << 20, 'x'), std::string("host \0 block", 12), std::string(300, '\0'),
        "host " + std::string(60'000, 'x') + " block", "host " + std::string(60'000, 'x'),
        std::string("host a.test \xc3\x28 5s"), std::string("\xff\xfeh\0o\0", 6),
        "host a.test delay " + std::string(60'000, '9')}) {
    const std::string refusal = Refusal(garbage);
    EXPECT_LT(refusal.size(), 600u);
  }
  EXPECT_THAT(Refusal("\xff\xfeh"), HasSubstr("UTF-16"));
  EXPECT_THAT(Refusal(std::string(kHostsLineBytesMax + 1, ' ')), HasSubstr("has more than 65536"));
}

TEST(HostsFileReaderTest, ThereAreNotMoreRulesThanANodeKeeps) {
  std::string text;
  for (size_t i = 0; i < schedule::kHostRulesMax; ++i)
    text += "host h" + std::to_string(i) + ".test block\n";
  EXPECT_EQ(RulesIn(text).size(), schedule::kHostRulesMax);
  EXPECT_THAT(Refusal(text + "host one.more.test block"),
              HasSubstr("line 10001: there are more than 10000 rules"));
}

class HostsFileOnDiskTest : public InOwnFolder {
 protected:
  static std::string RefusalOf(const std::string& path) {
    const absl::Status status = ReadHostsFile(path).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
};

TEST_F(HostsFileOnDiskTest, IsReadWithItsPathAndTime) {
  const absl::StatusOr<node::HostsFile> file = ReadHostsFile(Write("hosts", "host a.test block\n"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->path, Path("hosts"));
  EXPECT_EQ(file->rules.size(), 1u);
  EXPECT_GT(file->read, absl::UnixEpoch());
}

TEST_F(HostsFileOnDiskTest, IsARegularFileWithALimit) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("pipe"), Path(""), std::string("/dev/zero")})
    EXPECT_THAT(RefusalOf(path), HasSubstr("is not a regular file")) << path;
  const absl::Status none = ReadHostsFile(Path("none")).status();
  EXPECT_TRUE(absl::IsNotFound(none)) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("--hosts-file: cannot open"));
  const size_t most = kHostsFileMibMax << 20;
  std::string full(most, '#');
  for (size_t end = 1000; end <= most; end += 1000) full[end - 1] = '\n';
  EXPECT_TRUE(ReadHostsFile(Write("full", full)).ok());
  EXPECT_THAT(RefusalOf(Write("large", full + "\n")), HasSubstr("is larger than 8 MiB"));
}

}  // namespace
}  // namespace opic::cli

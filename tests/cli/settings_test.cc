// Where a setting comes from: file < environment < flags.
#include "cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace opic::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class SettingsTest : public testing::Test {
 protected:
  void File(const std::string& text) { std::ofstream(path_) << text; }
  absl::StatusOr<GatheredSettings> Gather(const Words& command_line,
                                          const Words& environment = {}) {
    const auto taken_here = [](const std::string& name, const std::string& value) {
      if (name == "domain") return value == "true";
      return name == "delay" || name == "in-flight" || name == "include" || name == "config";
    };
    const auto known_anywhere = [&](const std::string& name) {
      return taken_here(name, "true") || name == "count" || name == "contact";
    };
    return GatherArguments(command_line, environment, taken_here, known_anywhere);
  }
  Words Gathered(const Words& command_line, const Words& environment = {}) {
    const auto gathered = Gather(command_line, environment);
    EXPECT_TRUE(gathered.ok()) << gathered.status();
    return gathered.value_or(GatheredSettings()).arguments;
  }
  std::string Refused(const Words& command_line, const Words& environment = {}) {
    const auto arguments = Gather(command_line, environment);
    EXPECT_TRUE(absl::IsInvalidArgument(arguments.status())) << arguments.status();
    return std::string(arguments.status().message());
  }
  const std::string path_ = testing::TempDir() + "/opic_settings_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string config_ = "--config=" + path_;
};

TEST_F(SettingsTest, FlagsStayAsTheyAre) {
  EXPECT_THAT(Gathered({"http://a/", "--delay", "2s"}), ElementsAre("http://a/", "--delay", "2s"));
}

TEST_F(SettingsTest, AFileGivesWhatNobodyElseGives) {
  File("# pace\n\n  delay = 2s  \nin-flight=8\n");
  EXPECT_THAT(Gathered({config_}), ElementsAre("--delay=2s", "--in-flight=8", config_));
}

TEST_F(SettingsTest, AVariableWinsOverTheFile) {
  File("delay = 2s\nin-flight = 8\n");
  EXPECT_THAT(Gathered({config_}, {"OPIC_DELAY=3s", "HOME=/root"}),
              ElementsAre("--delay=3s", "--in-flight=8", config_));
}

TEST_F(SettingsTest, AFlagWinsOverBoth) {
  File("delay = 2s\n");
  for (const Words& flag : {Words{"--delay=4s"}, Words{"--delay", "4s"}}) {
    Words command_line = {config_};
    command_line.insert(command_line.end(), flag.begin(), flag.end());
    EXPECT_EQ(Gathered(command_line, {"OPIC_DELAY=3s"}), command_line);
  }
}

TEST_F(SettingsTest, TheFileMayBeNamedByAVariable) {
  File("delay = 2s\n");
  EXPECT_THAT(Gathered({}, {"OPIC_CONFIG=" + path_}), ElementsAre(config_, "--delay=2s"));
}

TEST_F(SettingsTest, AKeyMayBeRepeatedAndHoldEqualsSigns) {
  File("include = *a=1*\ninclude = *b*\n");
  EXPECT_THAT(Gathered({config_}), ElementsAre("--include=*a=1*", "--include=*b*", config_));
}

TEST_F(SettingsTest, DashesAreUnderscoresInVariables) {
  EXPECT_THAT(Gathered({}, {"OPIC_IN_FLIGHT=64"}), ElementsAre("--in-flight=64"));
}

TEST_F(SettingsTest, AnUnknownKeyIsNamedWithFileAndLine) {
  File("delay = 2s\n\ndelya = 3s\n");
  EXPECT_THAT(Refused({config_}), HasSubstr(path_ + ":3: unknown key \"delya\""));
}

TEST_F(SettingsTest, ALineWithoutAValueIsNamedWithFileAndLine) {
  File("delay\n");
  EXPECT_THAT(Refused({config_}), HasSubstr(path_ + ":1:"));
}

// It was ignored: arguments without a name made "" a key that is known.
TEST_F(SettingsTest, ALineWithoutAKeyIsNamedWithFileAndLine) {
  File("delay = 2s\n= 5\n");
  EXPECT_THAT(Refused({config_}), HasSubstr(path_ + ":2: there is no key before \"=\""));
}

TEST_F(SettingsTest, AFileCannotNameAnotherFile) {
  File("config = other\n");
  EXPECT_THAT(Refused({config_}), HasSubstr(path_ + ":1:"));
}

TEST_F(SettingsTest, AnUnknownVariableIsNamed) {
  EXPECT_THAT(Refused({}, {"OPIC_DELYA=3s"}), HasSubstr("OPIC_DELYA"));
}

TEST_F(SettingsTest, AVariableOfAnotherCommandIsLeftOut) {
  EXPECT_THAT(Gathered({}, {"OPIC_COUNT=3"}), ElementsAre());
}

// One file serves all programs.
TEST_F(SettingsTest, AKeyOfAnotherCommandIsLeftOut) {
  File("contact = me@example.org\ndelay = 2s\n");
  EXPECT_THAT(Gathered({config_}), ElementsAre("--delay=2s", config_));
}

TEST_F(SettingsTest, AValueForAnotherCommandIsLeftOutAndHidesNone) {
  File("domain = a.test\ndomain = true\n");
  EXPECT_THAT(Gathered({config_}), ElementsAre("--domain=true", config_));
  EXPECT_THAT(Gathered({config_}, {"OPIC_DOMAIN=b.test"}), ElementsAre("--domain=true", config_));
}

TEST_F(SettingsTest, WhatFollowsANumberSignIsAComment) {
  File("delay = 2s # slow\ninclude = *a#b*\nin-flight = 8\t# few\n");
  EXPECT_THAT(Gathered({config_}),
              ElementsAre("--delay=2s", "--include=*a#b*", "--in-flight=8", config_));
}

TEST_F(SettingsTest, QuotesKeepWhatIsInThem) {
  File("include = \" a # b \"  # spaces\ndelay = \"\"\n");
  EXPECT_THAT(Gathered({config_}), ElementsAre("--include= a # b ", "--delay", "", config_));
}

TEST_F(SettingsTest, AQuoteThatIsNotClosedIsNamedWithFileAndLine) {
  for (const std::string line : {"delay = \"2s", "delay = \"2s\" and more", "delay = \""}) {
    File("# first\n" + line + "\n");
    EXPECT_THAT(Refused({config_}), HasSubstr(path_ + ":2:")) << line;
  }
}

// As editors of Windows write it.
TEST_F(SettingsTest, AByteOrderMarkAndCarriageReturnsAreLeftOut) {
  File(
      "\xef\xbb\xbf"
      "delay = 2s\r\nin-flight = 8\r\n");
  EXPECT_THAT(Gathered({config_}), ElementsAre("--delay=2s", "--in-flight=8", config_));
}

TEST_F(SettingsTest, SourcesAreReported) {
  File("# first\ndelay = 2s\ninclude = *a*\ninclude = *b*\n");
  const auto gathered = Gather({config_, "--include=*c*"}, {"OPIC_IN_FLIGHT=8"});
  ASSERT_TRUE(gathered.ok()) << gathered.status();
  EXPECT_THAT(gathered->sources, testing::UnorderedElementsAre(
                                     testing::Pair("delay", path_ + ":2"),
                                     testing::Pair("in-flight", "the variable OPIC_IN_FLIGHT")));
}

TEST_F(SettingsTest, AFileThatIsNotThereIsNotFound) {
  ::unlink(path_.c_str());
  EXPECT_TRUE(absl::IsNotFound(Gather({config_}).status()));
}

}  // namespace
}  // namespace opic::cli

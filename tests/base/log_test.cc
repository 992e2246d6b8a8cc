#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "base/file.h"

namespace opic::base {
namespace {

using testing::HasSubstr;

class LogTest : public testing::Test {
 protected:
  LogTest() { ::unlink(path_.c_str()); }
  ~LogTest() override { StartLog("", LogLevel::kWarning); }
  static std::string Text(const std::string& path) { return ReadFile(path).value_or(""); }
  const std::string path_ = testing::TempDir() + "/opic_log_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

// As logrotate does.
TEST_F(LogTest, AMovedFileIsBegunAnewWhenAsked) {
  ASSERT_TRUE(StartLog(path_, LogLevel::kInfo));
  LogInfo("first");
  const std::string moved = path_ + ".1";
  ASSERT_EQ(std::rename(path_.c_str(), moved.c_str()), 0);
  LogInfo("second");
  ASSERT_TRUE(ReopenLog());
  LogInfo("third");
  EXPECT_NE(Text(moved).find("first"), std::string::npos);
  EXPECT_NE(Text(moved).find("second"), std::string::npos);
  EXPECT_EQ(Text(moved).find("third"), std::string::npos);
  EXPECT_NE(Text(path_).find("third"), std::string::npos);
}

TEST_F(LogTest, AFileThatCannotBeOpenedAgainIsKept) {
  const std::string folder = path_ + ".folder";
  ASSERT_EQ(system(("rm -rf " + folder + "* && mkdir " + folder).c_str()), 0);
  ASSERT_TRUE(StartLog(folder + "/log", LogLevel::kInfo));
  ASSERT_EQ(std::rename(folder.c_str(), (folder + ".moved").c_str()), 0);
  EXPECT_FALSE(ReopenLog());
  LogInfo("still here");
  EXPECT_NE(Text(folder + ".moved/log").find("still here"), std::string::npos);
}

TEST_F(LogTest, ItsLevelMayChange) {
  ASSERT_TRUE(StartLog(path_, LogLevel::kInfo));
  EXPECT_EQ(CurrentLogLevels(), LogLevels(LogLevel::kInfo));
  SetLogLevels(LogLevel::kWarning);
  EXPECT_EQ(CurrentLogLevels(), LogLevels(LogLevel::kWarning));
  LogInfo("first");
  LogWarning("second");
  SetLogLevels(LogLevel::kInfo);
  LogInfo("third");
  EXPECT_EQ(Text(path_).find("first"), std::string::npos);
  EXPECT_NE(Text(path_).find("second"), std::string::npos);
  EXPECT_NE(Text(path_).find("third"), std::string::npos);
}

// As a line that stands in a file of the module.
void LogFrom(const char* file, LogLevel level, std::string_view what) {
  const size_t module = ModuleOfFile(file);
  if (IsLogged(level, module)) LogLine(level, what, module);
}

TEST_F(LogTest, AModuleMayHaveALevelOfItsOwn) {
  LogLevels levels = LogLevel::kWarning;
  levels.modules = {{"rpc", LogLevel::kDebug}, {"fetch", LogLevel::kError}};
  ASSERT_TRUE(StartLog(path_, levels));
  LogFrom("../../src/rpc/gate.cc", LogLevel::kDebug, "of rpc");
  LogFrom("../../src/node/node.cc", LogLevel::kInfo, "info of node");
  LogFrom("../../src/node/node.cc", LogLevel::kWarning, "warning of node");
  LogFrom("../../src/fetch/fetcher.cc", LogLevel::kWarning, "warning of fetch");
  LogDebug("debug of this file, which is in no module");
  LogWarning("{} of this file", "warning");
  SetLogLevels(LogLevel::kError);
  LogFrom("../../src/rpc/gate.cc", LogLevel::kDebug, "of rpc afterwards");
  const std::string text = Text(path_);
  EXPECT_THAT(text, HasSubstr("debug of rpc\n"));
  EXPECT_THAT(text, HasSubstr("warning of node\n"));
  EXPECT_THAT(text, HasSubstr("warning of this file\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST_F(LogTest, JsonNamesTheModule) {
  ASSERT_TRUE(StartLog(path_, LogLevel::kInfo, LogFormat::kJson));
  LogFrom("/a/src/b/src/rpc/gate.cc", LogLevel::kInfo, "here");
  EXPECT_THAT(Text(path_),
              HasSubstr("\"level\":\"info\",\"message\":\"here\",\"module\":\"rpc\"}\n"));
}

TEST(LogLevelsTest, AFileIsOfTheModuleWhoseFolderItIsIn) {
  EXPECT_EQ(ModuleOfFile("src/rpc/gate.cc"), ModuleNamed("rpc"));
  EXPECT_EQ(ModuleOfFile("/usr/src/opic/src/base/log.cc"), ModuleNamed("base"));
  for (const char* none : {"tests/rpc/gate_test.cc", "/usr/src/opic/tests/base/log_test.cc",
                           "src/nothing/a.cc", "mysrc/rpc/gate.cc", "src/", ""})
    EXPECT_EQ(ModuleOfFile(none), kNoModule) << none;
}

TEST(LogLevelsTest, LevelsHaveNames) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError})
    EXPECT_EQ(LogLevelNamed(Name(level)), level);
  EXPECT_EQ(LogLevelNamed("warn"), LogLevel::kWarning);
  EXPECT_EQ(LogLevelNamed("loud"), std::nullopt);
}

// What operators write, and what it makes of an error level with one module of its own.
TEST(LogLevelsTest, AreReadFromWords) {
  LogLevels before = LogLevel::kError;
  before.modules = {{"desk", LogLevel::kInfo}};
  const auto after = [&](std::string_view text) {
    const absl::StatusOr<LogLevelChange> change = ParseLogLevels(text);
    return change.ok() ? InWords(Changed(before, *change)) : std::string(change.status().message());
  };
  EXPECT_EQ(after("info"), "info");
  EXPECT_EQ(after("rpc=debug,fetch=warn"), "error,desk=info,fetch=warning,rpc=debug");
  EXPECT_EQ(after("fetch=debug,info"), "info,fetch=debug");
  EXPECT_THAT(after("loud"), HasSubstr("must be one of debug, info, warning, error"));
  EXPECT_THAT(after("rpc=loud"), HasSubstr("must be one of"));
  EXPECT_THAT(after("rcp=debug"),
              HasSubstr("there is no module \"rcp\"; modules are archive, base"));
  for (const char* wrong : {"", ",", "info,", "=debug", "info,error", "rpc=debug,rpc=info"})
    EXPECT_FALSE(ParseLogLevels(wrong).ok()) << wrong;
}

TEST_F(LogTest, JsonIsAnObjectALine) {
  ASSERT_TRUE(StartLog(path_, LogLevel::kInfo, LogFormat::kJson));
  LogWarning("a \"quote\" and\na line");
  const std::string text = Text(path_);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_EQ(text.find("{\"time\":\"20"), 0u) << text;
  EXPECT_NE(text.find("\"level\":\"warning\",\"message\":\"a \\\"quote\\\" and\\u000aa line\"}\n"),
            std::string::npos)
      << text;
}

TEST_F(LogTest, AFolderThatIsNotThereIsSaid) {
  EXPECT_FALSE(StartLog("/nonexistent/log", LogLevel::kInfo));
}

}  // namespace
}  // namespace opic::base

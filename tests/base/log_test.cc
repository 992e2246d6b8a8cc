#include "base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "base/file.h"

namespace opic::base {
namespace {

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
  EXPECT_EQ(CurrentLogLevel(), LogLevel::kInfo);
  SetLogLevel(LogLevel::kWarning);
  EXPECT_EQ(CurrentLogLevel(), LogLevel::kWarning);
  LogInfo("first");
  LogWarning("second");
  SetLogLevel(LogLevel::kInfo);
  LogInfo("third");
  EXPECT_EQ(Text(path_).find("first"), std::string::npos);
  EXPECT_NE(Text(path_).find("second"), std::string::npos);
  EXPECT_NE(Text(path_).find("third"), std::string::npos);
}

TEST_F(LogTest, LevelsHaveNames) {
  for (const LogLevel level : {LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError})
    EXPECT_EQ(LogLevelNamed(Name(level)), level);
  EXPECT_EQ(LogLevelNamed("debug"), std::nullopt);
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

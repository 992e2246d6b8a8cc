#include "base/log_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/file.h"
#include "base/log.h"
#include "tests/support/own_path.h"

namespace opic::base {
namespace {

using testing::HasSubstr;

class LogPartTest : public testing::Test {
 protected:
  LogPartTest() { ::unlink(path_.c_str()); }
  ~LogPartTest() override { StartLog("", LogLevel::kWarning); }
  std::string Text() const { return ReadFile(path_).value_or(""); }
  const std::string path_ = support::OwnPath("log");
};

TEST_F(LogPartTest, ALineBeginsWithThePartOfItsThread) {
  ASSERT_TRUE(StartLog(path_, LogLevel::kInfo));
  {
    const WithLogPart a("a");
    LogInfo("first");
    const WithLogPart b("b");
    LogInfo("second");
  }
  LogInfo("third");
  EXPECT_THAT(Text(), HasSubstr(" a: first\n"));
  EXPECT_THAT(Text(), HasSubstr(" b: second\n"));
  EXPECT_THAT(Text(), HasSubstr("info third\n"));
}

TEST_F(LogPartTest, InJsonItIsAFieldOfItsOwn) {
  ASSERT_TRUE(StartLog(path_, LogLevel::kInfo, LogFormat::kJson));
  const WithLogPart a("a");
  LogInfo("first");
  EXPECT_THAT(Text(), HasSubstr("\"message\":\"first\",\"node\":\"a\"}\n"));
}

TEST_F(LogPartTest, AThreadHasThatOfWhoBeganIt) {
  const WithLogPart a("a");
  std::string within, beside;
  std::thread(OfThisPart([&] { within = LogPart(); })).join();
  std::thread([&] { beside = LogPart(); }).join();
  EXPECT_EQ(within, "a");
  EXPECT_EQ(beside, "");
}

}  // namespace
}  // namespace opic::base

#include "desk/fetch_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"

namespace opic::desk {
namespace {

TEST(JsonStringTest, QuotesAndEscapes) {
  EXPECT_EQ(JsonString(""), "\"\"");
  EXPECT_EQ(JsonString("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(JsonString(std::string_view("\n\0\x1f", 3)), R"("\u000a\u0000\u001f")");
}

TEST(JsonStringTest, KeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(JsonString("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(JsonString("\xe9"), "\"" + mark + "\"");                        // Latin-1
  EXPECT_EQ(JsonString("\xc0\xaf"), "\"" + mark + mark + "\"");             // overlong
  EXPECT_EQ(JsonString("\xed\xa0\x80"), "\"" + mark + mark + mark + "\"");  // surrogate
  EXPECT_EQ(JsonString("\xe2\x82"), "\"" + mark + mark + "\"");             // cut off
  EXPECT_EQ(JsonString("\xf5\x80\x80\x80"), "\"" + mark + mark + mark + mark + "\"");
}

TEST(FetchLogTest, LinesAreThereAtOnceAndAppendedToTheLastRun) {
  const std::string path = testing::TempDir() + "/opic_fetch_log_test.jsonl";
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

TEST(FetchLogTest, LinesThatCannotBeWrittenAreCounted) {
  FetchLog nowhere("/nonexistent/fetches.jsonl");
  nowhere.Append({});
  EXPECT_EQ(nowhere.lost(), 1u);
  FetchLog full("/dev/full");
  full.Append({});
  EXPECT_EQ(full.lost(), 1u);
}

}  // namespace
}  // namespace opic::desk

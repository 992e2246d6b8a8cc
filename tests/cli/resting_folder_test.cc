// Commands on a data folder whose node is not there.
#include <gmock/gmock.h>

#include "cli/exit_code.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

// Of a crawl of one page, which could not be fetched.
class RestingFolder : public InOwnFolder {
 protected:
  void SetUp() override {
    InOwnFolder::SetUp();
    ASSERT_EQ(Opic({"crawl", "http://127.0.0.1:1/", "--data", data(), "--allow-private",
                    "--attempts", "1", "--delay", "0s", "--quiet"})
                  .code,
              kNothingFetched);
  }
  std::string data() const { return Path("data"); }
};

TEST_F(RestingFolder, WhoSteersNobodyIsToldWhatToDo) {
  const auto told = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "control");
    words.insert(words.end(), {"--data", data()});
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kUnreachable);
    return said.error;
  };
  const std::string crawl = "`opic crawl --data " + data();
  EXPECT_THAT(told({"limits", "--pages", "0"}),
              HasSubstr("--pages (0: no limit) or --depth to the next " + crawl + "`"));
  EXPECT_THAT(told({"seed", "http://a.test/"}), HasSubstr("to the next " + crawl + " URL...`"));
  EXPECT_THAT(told({"resume"}), HasSubstr("start it (" + crawl + "`"));
  EXPECT_THAT(told({"stop"}), HasSubstr("no node uses the data folder"));
}

}  // namespace
}  // namespace opic::cli

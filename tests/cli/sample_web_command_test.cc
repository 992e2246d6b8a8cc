// `opic sample-web` as far as it serves nothing.
#include <gmock/gmock.h>

#include <algorithm>

#include "cli/exit_code.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

Said SampleWeb(Words more) {
  Words words = {"sample-web", "--sample-pages", "60", "--sample-hosts", "3"};
  words.insert(words.end(), more.begin(), more.end());
  return Opic(words);
}

const Words kChanging = {"--change-rate", "1",       "--appear-rate",
                         "0.1",           "--start", "2027-01-01T00:00:00Z"};

Said Changing(Words more) {
  more.insert(more.begin(), kChanging.begin(), kChanging.end());
  return SampleWeb(more);
}

TEST(SampleWebCommand, PrintsTheTruthOfATime) {
  const Words later = {"--print-truth", "--at", "2027-01-11T00:00:00Z"};
  const Said truth = Changing(later);
  EXPECT_EQ(truth.code, kOk) << truth.error;
  EXPECT_THAT(truth.out, StartsWith("# importance\turl\tstate\tchanges\trate\tchanged\n"));
  EXPECT_GT(std::count(truth.out.begin(), truth.out.end(), '\n'), 61 + 20);
  EXPECT_EQ(Changing(later).out, truth.out);
  const Said before = Changing({"--print-truth", "--at", "2027-01-01T00:00:00Z"});
  EXPECT_EQ(std::count(before.out.begin(), before.out.end(), '\n'), 61);
  const Said fast =
      Changing({"--print-truth", "--at", "2027-01-02T00:00:00Z", "--time-factor", "10"});
  EXPECT_EQ(fast.out, truth.out);
}

TEST(SampleWebCommand, PrintsTheLinksOfATime) {
  const Said links = SampleWeb({"--print-links"});
  EXPECT_EQ(links.code, kOk) << links.error;
  EXPECT_THAT(links.out, HasSubstr("http://site00.sample.test/\thttp://site01.sample.test/\n"));
}

TEST(SampleWebCommand, RefusesATruthWithoutAStartAndTimesThatAreNone) {
  const Said said = SampleWeb({"--change-rate", "1", "--print-truth"});
  EXPECT_EQ(said.code, kUsage);
  EXPECT_THAT(said.error, HasSubstr("--start"));
  EXPECT_EQ(Changing({"--print-truth", "--at", "noon"}).code, kUsage);
  EXPECT_EQ(SampleWeb({"--start", "2027", "--print-truth"}).code, kUsage);
  EXPECT_EQ(Changing({"--print-truth", "--print-links"}).code, kUsage);
  EXPECT_EQ(Changing({"--print-truth", "--vanish-rate", "-1"}).code, kUsage);
}

}  // namespace
}  // namespace opic::cli

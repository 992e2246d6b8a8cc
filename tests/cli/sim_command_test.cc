// `opic sim` as a user calls it, and the commands that need a data folder, without one.
#include <gmock/gmock.h>

#include "cli/exit_code.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SimCommand : public InOwnFolder {
 protected:
  Said RunSim(std::vector<std::string> words) {
    words.insert(words.begin(), "sim");
    words.insert(words.end(), {"--out", Path("out"), "--sim-pages", "200"});
    return Opic(words);
  }
};

TEST_F(SimCommand, WritesATableAndAPlotAndSaysWhere) {
  const Said said = RunSim({"figure2"});
  EXPECT_EQ(said.code, kOk) << said.error;
  EXPECT_EQ(said.out, Path("out/figure2.tsv") + "\n" + Path("out/figure2.svg") + "\n");
  EXPECT_THAT(Read("out/figure2.tsv"), StartsWith("method\tcrawls\tclock\terror_percent\t"));
  EXPECT_THAT(Read("out/figure2.svg"), StartsWith("<svg "));
}

TEST_F(SimCommand, TellsTheSpreadOfSeveralRuns) {
  ASSERT_EQ(RunSim({"ordering", "--runs", "3", "--workers", "2"}).code, kOk);
  const std::string table = Read("out/ordering.tsv");
  EXPECT_THAT(table, HasSubstr("\timportance_percent\timportance_percent_sd\t"));
  ASSERT_EQ(RunSim({"ordering", "--runs", "3"}).code, kOk);
  EXPECT_EQ(Read("out/ordering.tsv"), table);
}

TEST_F(SimCommand, TakesAGraphThatWasMadeElsewhere) {
  std::string list = "# a ring\n";
  for (int i = 0; i < 120; ++i)
    list += std::to_string(i) + " " + std::to_string((i + 1) % 120) + "\n";
  EXPECT_EQ(RunSim({"figure2", "--graph", Write("ring.txt", list)}).code, kOk);
  EXPECT_EQ(RunSim({"figure2", "--graph", Path("absent")}).code, kNotFound);
  EXPECT_EQ(RunSim({"figure2", "--graph", Write("broken", "0 1\n?\n")}).code, kUsage);
  EXPECT_EQ(RunSim({"figure2", "--graph", Write("sparse", "0 4000000000\n")}).code, kUsage);
  EXPECT_EQ(RunSim({"figure2", "--graph", Write("empty", "")}).code, kUsage);
}

TEST_F(SimCommand, RefusesWhatIsNoExperiment) {
  const Said said = RunSim({"figure7"});
  EXPECT_EQ(said.code, kNotFound);
  EXPECT_THAT(said.error, HasSubstr("figure2, figure3"));
  EXPECT_EQ(RunSim({"figure2", "--runs", "0"}).code, kUsage);
  EXPECT_EQ(Opic({"sim", "figure2", "--sim-pages", "5"}).code, kUsage);
  EXPECT_EQ(Opic({"sim", "figure2", "--sim-pages", "200", "--out", "/dev/null/here"}).code, kUsage);
}

TEST(FolderCommands, SayThatThereIsNoDataFolder) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"export", "--links"}, {"export", "--pages"}, {"compare"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--data", "/nonexistent/no-crawl-here"});
    const Said said = Opic(all);
    EXPECT_EQ(said.code, kNotFound) << words[0];
    EXPECT_THAT(said.error, HasSubstr("no data folder")) << words[0];
  }
}

TEST(FolderCommands, RefuseFlagsThatDoNotGoTogether) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"export"}, {"export", "--links", "--pages"}}) {
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kUsage);
    EXPECT_EQ(said.error, "opic: give exactly one of --links and --pages\n");
  }
  EXPECT_EQ(Opic({"compare", "--damping", "1"}).code, kUsage);
}

}  // namespace
}  // namespace opic::cli

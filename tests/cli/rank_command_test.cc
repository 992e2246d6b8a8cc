// `opic rank` as a user calls it.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/exit_code.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// `printf '0 1\n1 2\n' | gzip -n`
const std::string kPathPacked(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33\x50\x30\xe4\x32\x54\x30\xe2\x02\x00\x6a\x1d\xbb"
    "\xd7\x08\x00\x00\x00",
    28);
const std::string kPathList = "0 1\n1 2\n";

class RankCommand : public InOwnFolder {
 protected:
  // Precisely, by page. The other columns are left out.
  std::map<int, double> Ranked(const std::string& list, std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"rank", Write("list.txt", list), "--quiet", "--change", "1e-12"});
    const Said said = Opic(flags);
    EXPECT_EQ(said.code, kOk) << said.error;
    EXPECT_THAT(said.out, StartsWith("# page\timportance"));
    std::map<int, double> importance;
    std::istringstream rows(said.out.substr(said.out.find('\n') + 1));
    for (int page; rows >> page;) rows >> importance[page];
    return importance;
  }
  // Runs `rank` on a file of these bytes.
  Said RunOn(const std::string& bytes, std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"rank", Write("list", bytes), "--quiet"});
    return Opic(flags);
  }
};

// x0 = 0.05 + x2 / 3, x1 = x0 + 0.85 x0, x2 = x0 + 0.85 x1; they sum to 1.
TEST_F(RankCommand, GivesTheImportanceOfEachPage) {
  const std::map<int, double> ranked = Ranked(kPathList);
  ASSERT_EQ(ranked.size(), 3u);
  const double x0 = 1 / (1 + 1.85 + (1 + 0.85 * 1.85));
  EXPECT_NEAR(ranked.at(0), x0, 1e-8);
  EXPECT_NEAR(ranked.at(1), 1.85 * x0, 1e-8);
  EXPECT_NEAR(ranked.at(2), (1 + 0.85 * 1.85) * x0, 1e-8);
}

TEST_F(RankCommand, UnpacksGzip) {
  EXPECT_EQ(RunOn(kPathPacked).code, kOk);
  EXPECT_EQ(RunOn(kPathPacked).out, RunOn(kPathList).out);
}

TEST_F(RankCommand, SaysTheSameInJson) {
  std::istringstream lines(RunOn(kPathList, {"--json"}).out);
  double sum = 0;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const nlohmann::json row = nlohmann::json::parse(line);
    EXPECT_EQ(row["page"], count);
    sum += row["importance"].get<double>();
  }
  EXPECT_EQ(count, 3);
  EXPECT_NEAR(sum, 1, 1e-6);
}

// A table of nine digits said less than was computed; JSON gives each value back as it was.
TEST_F(RankCommand, PrintsEveryDigit) {
  const std::map<int, double> table = Ranked(kPathList);
  std::istringstream lines(RunOn(kPathList, {"--json", "--change", "1e-12"}).out);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    EXPECT_EQ(table.at(row["page"].get<int>()), row["importance"].get<double>()) << line;
  }
}

TEST_F(RankCommand, PrintsTheBestPagesFirst) {
  std::istringstream rows(RunOn(kPathList, {"--top", "2"}).out);
  std::string header;
  std::getline(rows, header);
  std::vector<int> pages;
  double importance;
  for (int page; rows >> page >> importance;) pages.push_back(page);
  EXPECT_THAT(pages, ElementsAre(2, 1));
}

TEST_F(RankCommand, RanksInterestBesideImportance) {
  const Said both = RunOn(kPathList, {"--both"});
  EXPECT_THAT(both.out, StartsWith("# page\timportance\tinterest\n"));
  const Said inverse = RunOn(kPathList, {"--inverse", "--top", "1"});
  EXPECT_THAT(inverse.out, StartsWith("# page\tinterest\n0\t"));
}

// Importance springs from page 2 alone, which links to nobody.
TEST_F(RankCommand, IsPersonalised) {
  const std::string where = Write("where.txt", "# here\n2 7\n");
  EXPECT_NEAR(Ranked(kPathList, {"--personalise", where}).at(2), 1, 1e-9);
}

TEST_F(RankCommand, GivesTheSameFromDisk) {
  const std::map<int, double> memory = Ranked(kPathList);
  for (const char* order : {"jacobi", "gauss-seidel", "chaotic"}) {
    const std::map<int, double> disk =
        Ranked(kPathList, {"--on-disk", "--folder", Path(""), "--order", order});
    for (const auto& [page, importance] : memory) EXPECT_NEAR(disk.at(page), importance, 1e-8);
  }
}

// A star: its eigenvector is the square root of 3 in the middle and 1 at the tips. It has period 2,
// so that it takes the paper's second suite.
TEST_F(RankCommand, TakesTheUndirectedMatrix) {
  const std::map<int, double> ranked =
      Ranked("1 0\n0 2\n3 0\n", {"--matrix", "undirected", "--damping", "1", "--plus-identity"});
  EXPECT_NEAR(ranked.at(0), std::sqrt(3) / (3 + std::sqrt(3)), 1e-8);
  for (const int tip : {1, 2, 3}) EXPECT_NEAR(ranked.at(tip), 1 / (3 + std::sqrt(3)), 1e-8);
}

// r x0 = x1 + x2, r x1 = x0 + x2, r x2 = x0.
TEST_F(RankCommand, TakesTheAdjacencyMatrix) {
  const std::map<int, double> ranked =
      Ranked("0 1\n1 0\n2 0\n2 1\n0 2\n", {"--matrix", "adjacency", "--damping", "1"});
  const double r = (1 + std::sqrt(5)) / 2;  // r^3 = 2 r + 1
  EXPECT_NEAR(ranked.at(0) / ranked.at(2), r, 1e-8);
  EXPECT_NEAR((ranked.at(1) + ranked.at(2)) / ranked.at(0), r, 1e-8);
}

// 0 has one link, beside which a small edge of weight 1 is a half: x1 = x0 + x0 / 2.
TEST_F(RankCommand, TakesASmallEdgeOfSomeWeight) {
  const std::map<int, double> ranked = Ranked("0 1\n", {"--edge-weight", "1"});
  EXPECT_NEAR(ranked.at(0), 0.4, 1e-8);
  EXPECT_NEAR(ranked.at(1), 0.6, 1e-8);
}

TEST_F(RankCommand, RanksNothingInAnEmptyList) {
  const Said said = RunOn("# no links\n\n");
  EXPECT_EQ(said.code, kOk);
  EXPECT_EQ(said.out, "# page\timportance\n");
}

// Iterations are shown on a terminal alone.
TEST_F(RankCommand, TellsWhatItRanksUnlessQuiet) {
  const std::string list = Write("list", kPathList);
  EXPECT_EQ(Opic({"rank", list}).error, "3 pages, 2 links, in memory\n");
  EXPECT_THAT(Opic({"rank", list, "--quiet"}).error, IsEmpty());
}

TEST_F(RankCommand, SaysWhenIterationsRanOut) {
  const Said said = RunOn(kPathList, {"--iterations", "2"});
  EXPECT_EQ(said.code, kOk);
  EXPECT_THAT(said.error, HasSubstr("not converged after 2 iterations"));
}

TEST_F(RankCommand, WritesAFile) {
  EXPECT_THAT(RunOn(kPathList, {"--out", Path("ranks.tsv")}).out, IsEmpty());
  EXPECT_EQ(Read("ranks.tsv"), RunOn(kPathList).out);
}

TEST_F(RankCommand, RefusesListsThatAreNone) {
  const struct {
    std::string bytes;
    int code;
    const char* why;
  } cases[] = {
      {"0 1\n1 x\n", kUsage, "line 2: not two page numbers"},
      {"0\n", kUsage, "line 1: only one page number"},
      {"0 -1\n", kUsage, "line 1"},
      {"0 99999999999999999999\n", kUsage, "too long"},
      {"0 4000000000\n", kUsage, "number pages from 0"},
      {kPathPacked.substr(0, 20), kDamaged, "gzip is damaged"},
      {kPathPacked.substr(0, 14) + "????" + kPathPacked.substr(18), kDamaged, "gzip is damaged"},
  };
  for (const auto& refused : cases) {
    const Said said = RunOn(refused.bytes);
    EXPECT_EQ(said.code, refused.code) << refused.why;
    EXPECT_THAT(said.error, AllOf(HasSubstr(refused.why), HasSubstr(Path("list")))) << refused.why;
    EXPECT_THAT(said.out, IsEmpty()) << refused.why;
  }
}

TEST_F(RankCommand, RefusesFilesThatItCannotReadOrWrite) {
  EXPECT_EQ(Opic({"rank", Path("absent")}).code, kNotFound);
  EXPECT_EQ(Opic({"rank", Path("")}).code, kUsage);  // a folder
  EXPECT_EQ(Opic({"rank", "--data", Path("absent")}).code, kNotFound);
  EXPECT_EQ(RunOn(kPathList, {"--out", Path("absent/ranks")}).code, kNotFound);
  EXPECT_EQ(RunOn(kPathList, {"--out", Path("")}).code, kUsage);
  EXPECT_EQ(RunOn(kPathList, {"--on-disk", "--folder", Path("absent")}).code, kNotFound);
  EXPECT_EQ(RunOn(kPathList, {"--personalise", Path("absent")}).code, kNotFound);
  EXPECT_EQ(RunOn(kPathList, {"--out", "/dev/full"}).code, kStoreFailed);
}

// More than the stream keeps in memory: the program was aborted.
TEST_F(RankCommand, SaysThatTheDiskOfALongTableIsFull) {
  const Said said = RunOn("0 9999\n", {"--out", "/dev/full"});
  EXPECT_EQ(said.code, kStoreFailed);
  EXPECT_THAT(said.error, HasSubstr("cannot write /dev/full: No space left on device"));
}

TEST_F(RankCommand, RefusesPersonalisationThatIsNone) {
  const auto on = [&](const std::string& weights) {
    return RunOn(kPathList, {"--personalise", Write("weights", weights)});
  };
  EXPECT_THAT(on("1 2\nx\n").error, HasSubstr("line 2"));
  for (const char* weights : {"1 -1\n", "1 nan\n", "1 0\n", "3 1\n", "1 2 3\n"}) {
    EXPECT_EQ(on(weights).code, kUsage) << weights;
  }
}

TEST_F(RankCommand, RefusesAMemoryBoundBelowWhatTheProcessHas) {
  const Said said = RunOn(kPathList, {"--memory", "100K"});
  EXPECT_EQ(said.code, kUsage);
  EXPECT_THAT(said.error, HasSubstr("--memory"));
}

TEST_F(RankCommand, RefusesFlagsThatDoNotGoTogether) {
  const std::vector<std::vector<std::string>> cases = {
      {"--data", Path("data")},
      {"--on", "*.xml"},
      {"--by-importance"},
      {"--matrix", "adjacency", "--leak", "spread"},
      {"--matrix", "undirected", "--inverse"},
      {"--matrix", "adjacency", "--edge-weight", "2"},
      {"--edge-weight", "1", "--damping", "0.9"},
      {"--damping", "1.5"},
      {"--damping", "nan"},
      {"--change", "nan"},
      {"--matrix", "hits"},
      {"--both", "--order", "chaotic"},
      {"--workers", "0"},
      {"--memory", "lots"},
  };
  for (const std::vector<std::string>& flags : cases) {
    EXPECT_EQ(RunOn(kPathList, flags).code, kUsage) << testing::PrintToString(flags);
  }
  EXPECT_EQ(Opic({"rank"}).code, kUsage);
}

}  // namespace
}  // namespace opic::cli

// A crawl's kept links ranked off-line, exported and held against its on-line importance, with the
// commands that do so.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

using support::Process;

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The importance of each page of a table `number ... importance ... url`, by its number.
std::vector<double> ColumnOf(const std::string& table, int column) {
  std::vector<double> values;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i <= column; ++i) words >> word;
    values.push_back(std::stod(word));
  }
  return values;
}

class Finished : public testing::Test {
 protected:
  void SetUp() override {
    const Said said = crawl_.Crawl();
    ASSERT_EQ(said.code, 0) << said.output;
  }
  // Runs a command on the crawl's folder; its table is then in the returned file.
  std::string Table(const std::string& name, Words words) const {
    const std::string path = crawl_.folder() + "/" + name;
    words.insert(words.end(), {"--data", crawl_.data(), "--out", path});
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    return path;
  }
  SampleCrawl crawl_{absl::Milliseconds(5), 300, 10};
};

// Each of them looks, and changes nothing; a crawl would have to wait for this one.
TEST_F(Finished, FoldersAtRestAreSharedByAllWhoLook) {
  const int fd = open((crawl_.data() + "/opic.lock").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_SH | LOCK_NB), 0);
  for (const Words& words : std::vector<Words>{{"verify"},
                                               {"status"},
                                               {"top"},
                                               {"audit"},
                                               {"hosts"},
                                               {"compare"},
                                               {"export", "--pages"}}) {
    Words with_data = words;
    with_data.insert(with_data.end(), {"--data", crawl_.data()});
    const Said said = RunProgram("opic", with_data);
    EXPECT_EQ(said.code, 0) << words[0] << ": " << said.output;
  }
  close(fd);
}

// As a container is given one: another file cannot take its place.
TEST_F(Finished, ATableIsWrittenIntoAFileThatIsMounted) {
  const std::string path = crawl_.folder() + "/mounted";
  std::ofstream(path) << "old\n";
  constexpr char kScript[] = R"(mount --bind "$0" "$0" || exit 90; "$@"; echo "code: $?")";
  Process script({"/usr/bin/unshare", "-rm", "/bin/sh", "-c", kScript, path, Program("opic"),
                  "export", "--pages", "--data", crawl_.data(), "--out", path},
                 {.output = crawl_.folder() + "/script.out"});
  const std::optional<int> code = script.Wait(SampleCrawl::kPatience);
  if (code == 1 || code == 90) GTEST_SKIP() << "no mount namespace: " << script.output();
  EXPECT_EQ(script.output(), "code: 0\n");
  EXPECT_EQ(FileText(path), FileText(Table("pages", {"export", "--pages"})));
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

// Settling ends when it bounds the error of all pages together at 1 %; the error is far below that.
TEST_F(Finished, OnLineImportanceIsTheOffLineOneAndSumsToOne) {
  const nlohmann::json compared = crawl_.Ask("compare");
  EXPECT_EQ(compared["pages"], crawl_.web().exact_ranks().size());
  EXPECT_NEAR(compared["online_sum"].get<double>(), 1, 1e-6);
  EXPECT_LT(compared["error_percent"].get<double>(), 1);
  EXPECT_LT(compared["error_percent_top_tenth"].get<double>(), 1);
  EXPECT_GT(compared["spearman"].get<double>(), 0.999);
  EXPECT_GT(compared["kendall"].get<double>(), 0.98);
  EXPECT_GE(compared["top_100_overlap"].get<double>(), 0.99);
  const nlohmann::json top = crawl_.Ask("top");
  EXPECT_EQ(top["importance"], "push");
  EXPECT_LE(top["error_bound"].get<double>(), 0.0101);
  EXPECT_GT(compared["l1_distance"].get<double>(), 0);
  EXPECT_LT(compared["l1_distance"], top["error_bound"]);
}

TEST(OffLineTest, ACrawlIsComparedAndRankedByItsOwnEpsilon) {
  SampleCrawl crawl(absl::Milliseconds(5), 300, 10);
  ASSERT_EQ(crawl.Crawl({"--epsilon", "0.5"}).code, 0);
  const auto ranked = [&](Words words) {
    words.insert(words.begin(), {"rank", "--data", crawl.data(), "--quiet"});
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    return said.output;
  };
  EXPECT_EQ(ranked({}), ranked({"--damping", "0.5"}));
  EXPECT_NE(ranked({}), ranked({"--damping", "0.85"}));
  const auto error = [&](const Words& more) {
    return crawl.Ask("compare", more)["error_percent"].get<double>();
  };
  EXPECT_LT(error({}), 1);
  EXPECT_NEAR(error({"--damping", "0.5"}), error({}), 1e-9);
  EXPECT_GT(error({"--damping", "0.85"}), 10);
}

// The cash of pages drifts by what cells round; restating ends that, and not a unit is made. A
// crawl that settles does it by itself at its end.
TEST(OffLineTest, RestatingCorrectsWhatCellsHaveRounded) {
  SampleCrawl crawl(absl::Milliseconds(5), 300, 10);
  ASSERT_EQ(crawl.Crawl({"--no-settle"}).code, 0);
  const auto restate = [&](Words words) {
    words.insert(words.begin(), {"restate", "--json", "--data", crawl.data()});
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    return nlohmann::json::parse(said.answer);
  };
  const nlohmann::json before = restate({"--check"});
  EXPECT_EQ(before["pages"], crawl.web().exact_ranks().size());
  EXPECT_GT(before["pages_off"], 0);
  EXPECT_LT(before["error"].get<double>(), 0.02);
  const Said said = RunProgram("opic", {"restate", "--check", "--data", crawl.data()});
  EXPECT_NE(said.output.find(" is off, by at most "), std::string::npos) << said.output;
  EXPECT_EQ(restate({})["corrected"], true);
  EXPECT_LT(restate({"--check"})["error"].get<double>(), 0.5 * before["error"].get<double>());
  crawl.ExpectAuditIsExact();
}

TEST_F(Finished, ComparesAsATableToo) {
  const Said said = RunProgram("opic", {"compare", "--data", crawl_.data()});
  EXPECT_EQ(said.code, 0);
  for (const char* measure : {"error_percent\t", "error_percent_top_tenth\t", "kendall\t"}) {
    EXPECT_NE(said.output.find(measure), std::string::npos) << measure;
  }
}

// The web tells its own exact importance, which nobody computed from what was stored.
TEST_F(Finished, OffLineImportanceOfTheKeptLinksIsTheExactOne) {
  const std::string ranks =
      Table("ranks.tsv", {"rank", "--change", "1e-12", "--quiet", "--top", "20"});
  std::istringstream lines(FileText(ranks));
  std::string line;
  std::getline(lines, line);
  const std::vector<sample::RankedPage> exact = crawl_.web().exact_ranks();
  size_t rows = 0;
  for (; std::getline(lines, line); ++rows) {
    ASSERT_LT(rows, exact.size());
    std::istringstream words(line);
    double importance = 0;
    std::string page;
    words >> page >> importance;
    EXPECT_NEAR(importance, exact[rows].importance, 1e-6) << line;
  }
  EXPECT_EQ(rows, 20u);
}

TEST_F(Finished, ExportedLinksRankAsTheFolderDoes) {
  const std::string links = Table("links.tsv", {"export", "--links"});
  const std::string folder = Table("ranks.tsv", {"rank", "--quiet"});
  const std::vector<double> ours = ColumnOf(FileText(folder), 1);
  // The last page may have no link, and then no number in the list: a link to itself names it.
  std::ofstream(links, std::ios::app) << ours.size() - 1 << ' ' << ours.size() - 1 << '\n';
  const Said said =
      RunProgram("opic", {"rank", links, "--quiet", "--out", crawl_.folder() + "/again.tsv"});
  ASSERT_EQ(said.code, 0) << said.output;
  const std::vector<double> again = ColumnOf(FileText(crawl_.folder() + "/again.tsv"), 1);
  ASSERT_EQ(again.size(), ours.size());
  for (size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i], ours[i], 1e-6);
}

TEST_F(Finished, ExportedPagesHaveTheOnLineImportance) {
  const std::vector<double> importance =
      ColumnOf(FileText(Table("pages.tsv", {"export", "--pages"})), 3);
  EXPECT_EQ(importance.size(), crawl_.web().exact_ranks().size());
  double sum = 0;
  for (const double x : importance) sum += x;
  EXPECT_NEAR(sum, crawl_.Ask("compare")["online_sum"].get<double>(), 1e-5);
}

TEST_F(Finished, InterestSpringsFromPagesThatMatchAPattern) {
  const std::string seed = crawl_.web().seed_url();
  const std::string ranks =
      Table("interest.tsv", {"rank", "--inverse", "--on", seed, "--quiet", "--top", "1"});
  EXPECT_NE(FileText(ranks).find(seed), std::string::npos) << FileText(ranks);
  const Said none = RunProgram(
      "opic", {"rank", "--data", crawl_.data(), "--inverse", "--on", "*.nowhere", "--quiet"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.output.find("no URL matches"), std::string::npos);
}

TEST_F(Finished, AMemoryBoundTooSmallIsRefused) {
  for (const char* command : {"rank", "compare"}) {
    const Said said = RunProgram("opic", {command, "--data", crawl_.data(), "--memory", "1M"});
    EXPECT_EQ(said.code, 2) << command;
    EXPECT_NE(said.output.find("--memory"), std::string::npos) << said.output;
  }
}

TEST(OffLineTest, AFolderInUseIsRefused) {
  SampleCrawl crawl(absl::Milliseconds(200), 300, 10);
  const std::unique_ptr<Process> running = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(3));
  for (const Words& words : {Words{"export", "--links"}, {"rank"}, {"compare"}}) {
    Words all = words;
    all.insert(all.end(), {"--data", crawl.data()});
    EXPECT_EQ(RunProgram("opic", all).code, 3) << words[0];
  }
}

// Without kept links nothing can be ranked but that all pages are alike; it is said.
TEST(OffLineTest, AForgetfulCrawlHasNoLinks) {
  SampleCrawl crawl(absl::Milliseconds(5), 100, 5);
  ASSERT_EQ(crawl.Crawl({"--forget-links"}).code, 0);
  const Said said = RunProgram("opic", {"compare", "--data", crawl.data()});
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.output.find("kept no links"), std::string::npos) << said.output;
}

}  // namespace
}  // namespace opic::scenarios

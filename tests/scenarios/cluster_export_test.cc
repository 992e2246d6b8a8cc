// A whole cluster's pages, links and ranking: of its running nodes, of all their folders at rest,
// of one folder alone; beside one node's crawl of the same web.
#include <fstream>
#include <sstream>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

struct Row {
  std::string number, word, state, url;
  double importance = 0;  // 0 where it is not known
};

class ClusterExport : public testing::Test {
 protected:
  static constexpr int kNodes = 3;

  Words Cluster() const { return {"--cluster", crawl_.file()}; }
  Words Folders(int first = 0, int last = kNodes - 1) const {
    Words words;
    for (int n = first; n <= last; ++n) words.insert(words.end(), {"--data", crawl_.data(n)});
    return words;
  }
  Words OneNodesCrawl() { return {"--data", crawl_.sample().data()}; }

  // What the command writes.
  std::string Table(Words words, const Words& source) {
    const std::string path = crawl_.sample().folder() + "/table" + std::to_string(++tables_);
    words.insert(words.end(), source.begin(), source.end());
    words.insert(words.end(), {"--out", path});
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> Lines(const Words& words, const Words& source) {
    std::vector<std::string> lines;
    std::istringstream in(Table(words, source));
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line[0] != '#') lines.push_back(line);
    }
    return lines;
  }
  std::vector<Row> Pages(const Words& source) {
    std::vector<Row> rows;
    for (const std::string& line : Lines({"export", "--pages"}, source)) {
      std::istringstream words(line);
      std::string importance;
      Row& row = rows.emplace_back();
      words >> row.number >> row.word >> row.state >> importance >> row.url;
      if (importance != "-") row.importance = std::stod(importance);
    }
    return rows;
  }
  static double SumOf(const std::vector<Row>& rows) {
    double sum = 0;
    for (const Row& row : rows) sum += row.importance;
    return sum;
  }
  nlohmann::json Compared(const Words& source) {
    Words words = {"compare", "--json"};
    words.insert(words.end(), source.begin(), source.end());
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    return nlohmann::json::parse(said.answer);
  }
  // What cells have rounded was corrected before the end: the sums of each node are known to the
  // others in a moment, and nothing is restated so soon after it.
  void ExpectRestated() {
    EXPECT_EQ(crawl_.Ask("status")["phase"], "finished");
    EXPECT_TRUE(support::Eventually(
        absl::Seconds(5), [this] { return crawl_.Ask("status")["rounding_error"] < 0.0001; }));
  }
  void StopAll() {
    for (int n = 0; n < kNodes; ++n) crawl_.Stop(n);
  }

  ClusterCrawl crawl_{kNodes, absl::Milliseconds(5), 300, 12};
  int tables_ = 0;
};

// Words are hashes of URLs, and pages are numbered by words: so even the numbers are the same.
TEST_F(ClusterExport, AClusterHasThePagesLinksAndRanksOfOneNodesCrawl) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl().code, 0);
  ASSERT_EQ(crawl_.sample().Crawl().code, 0);
  const std::vector<Row> ours = Pages(Cluster()), theirs = Pages(OneNodesCrawl());
  ASSERT_EQ(ours.size(), theirs.size());
  EXPECT_NEAR(SumOf(ours), 1, 1e-12);
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].number, theirs[i].number);
    EXPECT_EQ(ours[i].word, theirs[i].word);
    EXPECT_EQ(ours[i].state, theirs[i].state);
    EXPECT_EQ(ours[i].url, theirs[i].url);
    EXPECT_NEAR(ours[i].importance / theirs[i].importance, 1, 0.03) << ours[i].url;
  }
  const Words links = {"export", "--links"}, named = {"export", "--links", "--urls"};
  EXPECT_EQ(Lines(links, Cluster()), Lines(links, OneNodesCrawl()));
  EXPECT_EQ(Lines(named, Cluster()), Lines(named, OneNodesCrawl()));
  const Words rank = {"rank", "--quiet", "--change", "1e-12", "--top", "20"};
  const std::vector<std::string> ranks = Lines(rank, Cluster());
  ASSERT_EQ(ranks.size(), 20u);
  const auto exact = crawl_.sample().web().exact_ranks();
  for (size_t i = 0; i < ranks.size(); ++i) {
    std::string page;
    double importance = 0;
    std::istringstream(ranks[i]) >> page >> importance;
    EXPECT_NEAR(importance, exact[i].importance, 1e-6) << ranks[i];
  }
}

TEST_F(ClusterExport, FoldersAtRestSayWhatTheRunningClusterSaid) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl().code, 0);
  ExpectRestated();
  const nlohmann::json running = Compared(Cluster());
  const std::string pages = Table({"export", "--pages", "--json"}, Cluster());
  const std::string links = Table({"export", "--links", "--urls", "--json"}, Cluster());
  StopAll();
  EXPECT_EQ(running, Compared(Folders()));
  EXPECT_EQ(pages, Table({"export", "--pages", "--json"}, Folders()));
  EXPECT_EQ(links, Table({"export", "--links", "--urls", "--json"}, Folders()));
  EXPECT_EQ(running["pages"], crawl_.sample().web().exact_ranks().size());
  EXPECT_EQ(running["pages_elsewhere"], 0);
  EXPECT_NEAR(running["online_sum"].get<double>(), 1, 1e-6);
  EXPECT_LT(running["error_percent"].get<double>(), 1);
  EXPECT_EQ(running["top_100_overlap"], 1);
}

// Such a folder was refused by `rank`, and lost its links to the other nodes.
TEST_F(ClusterExport, OneNodesFolderTellsOfPagesElsewhere) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl().code, 0);
  StopAll();
  const size_t all = Pages(Folders()).size();
  size_t known = 0, links = 0;
  double sum = 0;
  for (int n = 0; n < kNodes; ++n) {
    const std::vector<Row> rows = Pages(Folders(n, n));
    size_t elsewhere = 0;
    for (const Row& row : rows) {
      EXPECT_EQ(row.state == "elsewhere", row.url == "-") << row.number;
      elsewhere += row.state == "elsewhere" ? 1 : 0;
    }
    EXPECT_GT(elsewhere, 0u);
    known += rows.size() - elsewhere;
    sum += SumOf(rows);
    links += Lines({"export", "--links"}, Folders(n, n)).size();
    EXPECT_EQ(Lines({"rank", "--quiet"}, Folders(n, n)).size(), rows.size());
    const Words compare = {"compare", "--data", crawl_.data(n)};
    EXPECT_EQ(RunProgram("opic", compare).code, 0);
  }
  EXPECT_EQ(known, all);
  EXPECT_NEAR(sum, 1, 0.02);  // shares of the whole, as each heard of it last
  EXPECT_EQ(links, Lines({"export", "--links"}, Folders()).size());
}

TEST_F(ClusterExport, HostsAreThoseOfAllNodes) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl().code, 0);
  ASSERT_EQ(crawl_.sample().Crawl().code, 0);
  const auto hosts = [](const Words& source) {
    Words words = {"hosts", "--limit", "0", "--json"};
    words.insert(words.end(), source.begin(), source.end());
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    return nlohmann::json::parse(said.answer, nullptr, /*allow_exceptions=*/false);
  };
  const nlohmann::json ours = hosts(Cluster());
  EXPECT_EQ(ours, hosts(OneNodesCrawl()));
  EXPECT_GE(ours["hosts"].size(), 12u);
  EXPECT_EQ(ours["hosts_in_all"], ours["hosts"].size());
  size_t pages = 0;
  for (const nlohmann::json& host : ours["hosts"]) pages += host["pages"].get<size_t>();
  EXPECT_EQ(pages, crawl_.sample().web().exact_ranks().size());
  const Said in_use = RunProgram("opic", {"hosts", "--data", crawl_.data(0)});
  EXPECT_EQ(in_use.code, 0) << in_use.output;
  EXPECT_NE(in_use.output.find(".sample.test"), std::string::npos) << in_use.output;
}

TEST_F(ClusterExport, ARunningCrawlsImportancesSumToOne) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl_.sample().AwaitPageHits(100));
  const std::vector<Row> rows = Pages(Cluster());
  EXPECT_GT(rows.size(), 100u);
  EXPECT_NEAR(SumOf(rows), 1, 1e-12);
  ASSERT_EQ(crawl_.Crawl().code, 0);
  crawl_.ExpectAuditIsExact();
}

TEST_F(ClusterExport, ANodeThatIsAwayIsWaitedFor) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl().code, 0);
  const size_t all = Pages(Cluster()).size();
  crawl_.Kill(1);
  const Said gone =
      RunProgram("opic", {"export", "--pages", "--cluster", crawl_.file(), "--patience", "500ms"});
  EXPECT_EQ(gone.code, 6) << gone.output;
  EXPECT_NE(gone.output.find(crawl_.address(1)), std::string::npos) << gone.output;
  const std::string out = crawl_.sample().folder() + "/waited.tsv";
  support::Process waiting(
      {Program("opic"), "rank", "--quiet", "--cluster", crawl_.file(), "--out", out},
      support::Process::Options{.output = out + ".log"});
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return waiting.output().find("opic: waiting for n1: ") != std::string::npos;
  })) << waiting.output();
  crawl_.Start(1);
  EXPECT_EQ(waiting.Wait(SampleCrawl::kPatience), 0) << waiting.output();
  std::ifstream file(out);
  size_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  EXPECT_EQ(lines, all + 1);  // and the header
}

}  // namespace
}  // namespace opic::scenarios

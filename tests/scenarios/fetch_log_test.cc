// What fetches.jsonl says of each page: who linked it first, and how important it was.
#include <fstream>

#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

using nlohmann::json;

std::map<std::string, json> LinesOfPages(const std::string& data) {
  std::map<std::string, json> lines;
  std::ifstream file(data + "/fetches.jsonl");
  for (std::string line; std::getline(file, line);) {
    const json parsed = json::parse(line);
    if (parsed.at("outcome") != "robots") lines[parsed.at("url")] = parsed;
  }
  return lines;
}

// The web's own links say who may have been the first.
TEST(FetchLogScenario, EachPageHasItsReferrerAndItsImportance) {
  SampleCrawl crawl(absl::Milliseconds(1), 300, 10);
  ASSERT_EQ(crawl.Crawl({"--referrers"}).code, 0);
  const std::map<std::string, json> lines = LinesOfPages(crawl.data());
  ASSERT_EQ(lines.size(), crawl.PageHits().size());
  size_t seeds = 0;
  for (const auto& [url, line] : lines) {
    const double importance = line.at("importance");
    EXPECT_GT(importance, 0) << line;
    EXPECT_LE(importance, 1) << line;
    if (line.at("depth") == 0) {
      ++seeds;
      EXPECT_FALSE(line.contains("referrer")) << line;
      continue;
    }
    const std::string referrer = line.at("referrer");
    ASSERT_TRUE(lines.contains(referrer)) << line;
    EXPECT_EQ(lines.at(referrer).at("depth"), line.at("depth").get<int>() - 1) << line;
    EXPECT_LE(lines.at(referrer).at("time"), line.at("time")) << line;
  }
  EXPECT_LE(seeds, 1u + 10) << "besides the seed only sitemaps that a robots.txt names";
  const auto& [url, line] = *std::find_if(
      lines.begin(), lines.end(), [](const auto& entry) { return entry.second["depth"] == 2; });
  const std::string referrer = line.at("referrer");
  const Said said = RunProgram("opic", {"explain", url, "--data", crawl.data()});
  EXPECT_NE(said.output.find("It was found on " + referrer + ", 2 links from a seed."),
            std::string::npos)
      << said.output;
  EXPECT_EQ(crawl.Ask("explain", {url}).at("referrer"), referrer);
}

TEST(FetchLogScenario, ReferrersAreNotKeptUnlessAskedFor) {
  SampleCrawl crawl(absl::Milliseconds(1), 40, 2);
  ASSERT_EQ(crawl.Crawl().code, 0);
  const std::map<std::string, json> lines = LinesOfPages(crawl.data());
  ASSERT_FALSE(lines.empty());
  for (const auto& [url, line] : lines) {
    EXPECT_FALSE(line.contains("referrer")) << line;
    EXPECT_TRUE(line.contains("importance")) << line;
  }
}

}  // namespace
}  // namespace opic::scenarios

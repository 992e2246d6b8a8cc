// `--focus` and `opic publish boost`: what an operator wants first is discovered first, politely,
// over a kill, and in a crawl that reads no page again, too.
#include <csignal>

#include "tests/scenarios/cluster_crawl.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

constexpr uint32_t kPages = 600, kHosts = 20;
constexpr char kWanted[] = "site07.sample.test", kLater[] = "site11.sample.test";
// All hosts are ready at any moment: the rate decides.
const Words kRate = {"--rate", "60"};

class FocusTest : public testing::Test {
 protected:
  Words With(Words more) const {
    more.insert(more.end(), kRate.begin(), kRate.end());
    return more;
  }
  // Of the first so many requests for pages.
  int HitsOf(const std::string& host, size_t first = kPages) const {
    int hits = 0;
    for (const sample::Hit& hit : crawl_.web().hits()) {
      if (hit.target == "/robots.txt") continue;
      if (first-- == 0) break;
      hits += hit.host == host;
    }
    return hits;
  }
  int PagesOf(const std::string& host) const {
    int pages = 0;
    for (const std::string& url : crawl_.web().reachable())
      pages += url.starts_with("http://" + host + "/");
    return pages;
  }
  Said Publish(Words words) const {
    words.insert(words.begin(), "publish");
    words.insert(words.end(), {"--data", crawl_.data()});
    return RunProgram("opic", words);
  }
  nlohmann::json List() const { return crawl_.Ask("publish", {"list"})["publications"]; }

  SampleCrawl crawl_{absl::Milliseconds(10), kPages, kHosts};
};

TEST_F(FocusTest, PagesInFocusAreDiscoveredFirstAndOverAKill) {
  auto process = crawl_.Start(With({"--focus", std::string(kWanted) + "=1000"}));
  ASSERT_TRUE(crawl_.AwaitPageHits(150)) << process->output();
  const int wanted = PagesOf(kWanted);
  ASSERT_GT(wanted, 20);
  EXPECT_GT(HitsOf(kWanted, 150), wanted * 2 / 3) << "of " << wanted << "; an even share is 7";

  process->Kill();
  process = crawl_.Start(kRate);  // it is remembered
  ASSERT_TRUE(crawl_.AwaitPageHits(crawl_.PageHitCount() + 1)) << process->output();
  nlohmann::json list = List();
  ASSERT_EQ(list.size(), 1u) << list;
  EXPECT_EQ(list[0]["treatment"], "boost");
  EXPECT_EQ(list[0]["factor"], 1000);
  EXPECT_EQ(list[0]["by"], "--focus");
  const std::string page = std::string("http://") + kWanted + "/";
  const std::string said =
      RunProgram("opic",
                 {"explain", crawl_.PageHits().lower_bound(page)->first, "--data", crawl_.data()})
          .output;
  EXPECT_NE(said.find("Published: boost 1000, for host site07.sample.test"), std::string::npos)
      << said;

  const size_t before = crawl_.PageHitCount();
  EXPECT_EQ(Publish({"withdraw", list[0]["id"]}).code, 0);
  EXPECT_EQ(Publish({"boost", "1000", "--host", kLater}).code, 0);
  ASSERT_TRUE(crawl_.AwaitPageHits(before + 100)) << process->output();
  EXPECT_GT(HitsOf(kLater), PagesOf(kLater) * 2 / 3) << "of " << PagesOf(kLater);
  const Said refused = Publish({"every", "1h", page});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.output.find("--continuous"), std::string::npos) << refused.output;
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
  crawl_.ExpectPolite();
  crawl_.ExpectAuditIsExact();
}

TEST(ClusterFocusTest, AnOrderBringsItToEveryNode) {
  ClusterCrawl crawl(2);
  crawl.StartAll();
  const Words focus = {"--focus", kWanted, "--focus", "http://site03.sample.test/news/=50"};
  for (int i = 0; i < 2; ++i) {  // the same again changes nothing
    const Said said = crawl.Crawl(focus);
    ASSERT_EQ(said.code, 0) << said.output;
  }
  const Said listed = RunProgram("opic", {"publish", "list", "--json", "--cluster", crawl.file()});
  ASSERT_EQ(listed.code, 0) << listed.output;
  const nlohmann::json list = nlohmann::json::parse(listed.answer)["publications"];
  ASSERT_EQ(list.size(), 2u) << list;
  for (const nlohmann::json& boost : list)
    EXPECT_EQ(boost.value("nodes", Words()).size(), 2u) << boost;
  crawl.ExpectAuditIsExact();
}

}  // namespace
}  // namespace opic::scenarios

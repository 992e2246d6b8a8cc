// `opic publish`: pages are visited as an operator says, over a kill, and no longer than that.
#include <csignal>
#include <filesystem>

#include "absl/time/clock.h"
#include "tests/scenarios/cluster_crawl.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

// By its plan no page is read a second time while a test lasts.
const Words kSlowly = {"--continuous",      "--rate", "200", "--refresh-shortest", "10h",
                       "--refresh-longest", "100h"};

// A reading of this very second is as good as one that is asked for: `now` would be fulfilled as it
// is given.
testing::AssertionResult AwaitTheNextSecond() {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  if (support::Eventually(SampleCrawl::kPatience,
                          [&] { return absl::ToUnixSeconds(absl::Now()) > now; }))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the clock stands still";
}

class PublishTest : public testing::Test {
 protected:
  Said Publish(Words words) const {
    words.insert(words.begin(), "publish");
    words.insert(words.end(), {"--data", crawl_.data()});
    return RunProgram("opic", words);
  }
  nlohmann::json List() const { return crawl_.Ask("publish", {"list"})["publications"]; }
  // The one of this treatment.
  static nlohmann::json Of(const nlohmann::json& list, const std::string& treatment) {
    for (const nlohmann::json& publication : list)
      if (publication["treatment"] == treatment) return publication;
    ADD_FAILURE() << "no " << treatment << " in " << list;
    return {};
  }
  std::string Explain(const std::string& url) const {
    return RunProgram("opic", {"explain", url, "--data", crawl_.data()}).output;
  }
  int HitsOf(const std::string& url) const {
    const auto hits = crawl_.PageHits();
    const auto found = hits.find(url);
    return found == hits.end() ? 0 : found->second;
  }
  testing::AssertionResult AwaitHitsOf(const std::string& url, int hits) const {
    if (support::Eventually(SampleCrawl::kPatience, [&] { return HitsOf(url) >= hits; }))
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << url << " was asked for " << HitsOf(url) << " times";
  }
  // Pages that were read, and are there.
  std::vector<std::string> ReadPages() const {
    std::vector<std::string> pages;
    for (const sample::Hit& hit : crawl_.web().hits()) {
      if (hit.status == 200 && hit.target != "/robots.txt")
        pages.push_back("http://" + hit.host + hit.target);
    }
    return pages;
  }

  SampleCrawl crawl_{absl::Milliseconds(10), 100, 10};
};

TEST_F(PublishTest, PagesAreVisitedAsPublishedOverAKill) {
  auto process = crawl_.Start(kSlowly);
  ASSERT_TRUE(crawl_.AwaitPageHits(crawl_.web().reachable().size())) << process->output();
  const std::vector<std::string> pages = ReadPages();
  ASSERT_GT(pages.size(), 10u);
  const std::string &often = pages[3], &once = pages[5], &never = pages[7];

  Said said = Publish({"every", "1s", often, "--note", "the front page"});
  ASSERT_EQ(said.code, 0) << said.output;
  const std::string id = said.output.substr(0, 10);
  ASSERT_EQ(Publish({"never", never}).code, 0);
  ASSERT_EQ(Publish({"boost", "10", "--host", "nowhere.test", "--subdomains", "--for", "7d"}).code,
            0);
  ASSERT_TRUE(AwaitHitsOf(often, 3)) << process->output();

  ASSERT_EQ(Publish({"now", once}).code, 0);
  ASSERT_TRUE(AwaitHitsOf(once, 2)) << process->output();
  const std::string unknown = once.substr(0, once.find('/', 7)) + "/not/known";
  said = Publish({"now", unknown});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("is a seed now"), std::string::npos) << said.output;
  ASSERT_TRUE(AwaitHitsOf(unknown, 1)) << process->output();
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] { return List().size() == 3; }))
      << "what was to be read now is read: " << List();

  process->Kill();
  process = crawl_.Start(kSlowly);
  const int before = HitsOf(often);
  ASSERT_TRUE(AwaitHitsOf(often, before + 3)) << process->output();
  const nlohmann::json list = List();
  ASSERT_EQ(list.size(), 3u) << list;
  const nlohmann::json every = Of(list, "every"), boost = Of(list, "boost");
  EXPECT_EQ(every["id"], id);
  EXPECT_EQ(every["period_s"], 1);
  EXPECT_EQ(every["of"], often);
  EXPECT_EQ(every["note"], "the front page");
  EXPECT_NE(every["by"].get<std::string>().find(", operator, "), std::string::npos) << every;
  EXPECT_EQ(boost["target"], "domain");
  EXPECT_NEAR(boost["until"].get<double>() - boost["given"].get<double>(), 7 * 86'400, 60);
  EXPECT_NE(Explain(often).find("every 1s, for " + often + " (publication " + id),
            std::string::npos)
      << Explain(often);
  EXPECT_NE(Explain(never).find("It is not read again.\nPublished: never"), std::string::npos)
      << Explain(never);
  EXPECT_GE(crawl_.Ask("calendar")["never"]["pages"], 1);
  EXPECT_EQ(crawl_.Ask("status")["refresh"]["fixed"], 1);
  EXPECT_EQ(HitsOf(once), 2);
  EXPECT_EQ(HitsOf(never), 1);

  said = Publish({"withdraw", id});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(List().size(), 2u);
  EXPECT_EQ(crawl_.Ask("status")["refresh"]["fixed_per_s"], 0);
  EXPECT_EQ(Explain(often).find("Published"), std::string::npos) << Explain(often);
  EXPECT_EQ(Publish({"withdraw", id}).code, 5) << "there is none";
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
  crawl_.ExpectAuditIsExact();
}

TEST_F(PublishTest, WhatCannotBeIsRefusedWithTheReason) {
  Words words = kSlowly;
  words.insert(words.end(), {"--exclude", "*secret*"});
  const auto process = crawl_.Start(words);
  ASSERT_TRUE(crawl_.AwaitPageHits(1)) << process->output();
  const auto refused = [&](const Words& wrong, const std::string& reason) {
    const Said said = Publish(wrong);
    EXPECT_EQ(said.code, 2) << said.output;
    EXPECT_NE(said.output.find(reason), std::string::npos) << said.output;
  };
  refused({"now", "http://a.test/secret"}, "out of the crawl's scope");
  refused({"now"}, "now needs a target");
  refused({"now", "nonsense"}, "is not a URL");
  refused({"every", "http://a.test/"}, "PERIOD \"http://a.test/\": must be a time such as");
  refused({"every", "0s", "http://a.test/"}, "period");
  refused({"rate", "http://a.test/"}, "--changes-every");
  refused({"now", "http://a.test/", "http://b.test/", "--id", "7"},
          "give one target, not 2 targets");
  refused({"now", "http://a.test/", "--id", "x y"}, "`opic publish list` shows");
  refused({"boost", "0", "http://a.test/"}, "factor");
  refused({"never", "--host", "a.test:8080"}, "port");
  refused({"never", "http://a.test/", "--until", "2001-01-01"},
          "--until 2001-01-01: that time is over");
  refused({"never", "http://a.test/", "--until", "1970-01-01"}, "over");
  refused({"never", "http://a.test/", "--until", "soon"}, "--until");
  refused({"never", "http://a.test/", "--for", "0s"}, "--for");
  refused({"never", "http://a.test/", "--note", "caf\xe9"}, "--note: must be UTF-8");
  refused({"never", "http://a.test/", "--changes-every", "1d"}, "--changes-every does not go with");
  refused({"list", "--host", "a.test"}, "--host does not go with list");
  refused({"list", "http://a.test/"}, "does not go with list");
  refused({"withdraw", "3f09ab12cd", "--note", "done"}, "--note does not go with withdraw");
  refused({"withdraw", "nonsense"}, "id");
  refused({"nver", "http://a.test/"}, "did you mean \"never\"?");
  EXPECT_EQ(List().size(), 0u);
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
}

// At rest, what is published holds from the next start on.
TEST_F(PublishTest, AFolderAtRestTakesThemToo) {
  auto process = crawl_.Start(kSlowly);
  ASSERT_TRUE(crawl_.AwaitPageHits(crawl_.web().reachable().size())) << process->output();
  const std::vector<std::string> pages = ReadPages();
  process->Kill();
  ASSERT_TRUE(AwaitTheNextSecond());
  const std::string &once = pages[3], &often = pages[5];
  const int before = HitsOf(once);
  ASSERT_EQ(Publish({"now", once}).code, 0);
  ASSERT_EQ(Publish({"every", "1s", often}).code, 0);
  const Said said = Publish({"never", "--host", "A.Test."});
  ASSERT_EQ(said.code, 0);
  EXPECT_NE(said.output.find("never, for host a.test\n"), std::string::npos) << said.output;
  EXPECT_EQ(Publish({"now", "http://a.test/not/known"}).code, 2);
  const nlohmann::json list = List();
  ASSERT_EQ(list.size(), 3u) << list;
  EXPECT_NE(Of(list, "now")["by"].get<std::string>().find(", at rest"), std::string::npos) << list;
  ASSERT_EQ(Publish({"boost", "10", "--host", "b.test", "--for", "2s"}).code, 0);
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] { return List().size() == 3; }))
      << "what is over is not listed: " << List();
  const std::string never = Of(list, "never")["id"];
  EXPECT_EQ(Publish({"withdraw", never}).code, 0);
  EXPECT_EQ(Publish({"withdraw", never}).code, 5);
  const std::string publish = "Publish by folder";
  EXPECT_EQ(crawl_.ActsInTrail(), (std::vector<std::string>{publish, publish, publish, publish,
                                                            "WithdrawPublication by folder"}));
  process = crawl_.Start(kSlowly);
  EXPECT_TRUE(AwaitHitsOf(once, before + 1)) << process->output();
  EXPECT_TRUE(AwaitHitsOf(often, 3)) << process->output();
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] { return List().size() == 1; }));
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
  crawl_.ExpectAuditIsExact();
}

TEST_F(PublishTest, ACrawlThatReadsNothingAgainSaysSo) {
  const auto process = crawl_.Start({"--stay"});
  ASSERT_TRUE(crawl_.AwaitPageHits(1)) << process->output();
  const Said said = Publish({"never", "http://a.test/"});
  EXPECT_NE(said.code, 0);
  EXPECT_NE(said.output.find("--continuous"), std::string::npos) << said.output;
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
}

// One command tells all nodes; each page is visited by the node that has it.
TEST(PublishClusterTest, AllNodesAreTold) {
  ClusterCrawl crawl(2, absl::Milliseconds(10), 100, 10);
  crawl.StartAll(kSlowly);
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  const SampleCrawl& sample = crawl.sample();
  ASSERT_TRUE(sample.AwaitPageHits(sample.web().reachable().size()));
  // A reading that is under way is as good as one that is asked for.
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    const nlohmann::json status = crawl.Ask("status");
    return status["unread"] == 0 && status["in_flight"] == 0;
  }));
  ASSERT_TRUE(AwaitTheNextSecond());
  std::map<std::string, std::string> by_host;
  for (const sample::Hit& hit : sample.web().hits()) {
    if (hit.status == 200 && hit.target != "/robots.txt")
      by_host.try_emplace(hit.host, "http://" + hit.host + hit.target);
  }
  const auto publish = [&](Words words) {
    words.insert(words.begin(), "publish");
    words.insert(words.end(), {"--cluster", crawl.file()});
    return RunProgram("opic", words);
  };
  Words now = {"now"};
  for (const auto& [host, url] : by_host) now.push_back(url);
  const Said said = publish(now);
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    const auto hits = sample.PageHits();
    for (const auto& [host, url] : by_host)
      if (hits.at(url) < 2) return false;
    return true;
  }));
  EXPECT_EQ(publish({"never", "--host", "a.test"}).code, 0);
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return publish({"list"}).output.find(", for http") == std::string::npos;
  })) << publish({"list"}).output;
  const Said list = publish({"list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.output.find("never, for host a.test"), std::string::npos) << list.output;
  EXPECT_EQ(list.output.find("only at"), std::string::npos) << list.output;
  EXPECT_EQ(publish({"withdraw", list.output.substr(0, 10)}).code, 0);
  EXPECT_EQ(publish({"list"}).output, "Nothing is published.\n");
  crawl.ExpectAuditIsExact();
}

Said InCluster(const ClusterCrawl& crawl, Words words) {
  words.insert(words.begin(), "publish");
  words.insert(words.end(), {"--cluster", crawl.file()});
  return RunProgram("opic", words);
}

// The nodes that have the one publication there is.
std::vector<std::string> WhoHasIt(const ClusterCrawl& crawl) {
  const Said said = InCluster(crawl, {"list", "--json"});
  const nlohmann::json list = nlohmann::json::parse(said.answer, nullptr, false);
  EXPECT_EQ(said.code, 0) << said.output;
  if (!list.is_object() || list["publications"].size() != 1) return {};
  return list["publications"][0].value("nodes", std::vector<std::string>());
}

TEST(PublishClusterTest, ANodeThatIsAddedLearnsThemWithItsOrder) {
  ClusterCrawl crawl(2, absl::Milliseconds(10), 100, 10);
  crawl.StartAll(kSlowly);
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  ASSERT_EQ(InCluster(crawl, {"every", "1h", "--host", "a.test"}).code, 0);
  crawl.Add();
  for (const int old : {0, 1}) {
    crawl.Stop(old);
    crawl.Start(old, kSlowly);
  }
  crawl.Start(2, kSlowly);
  EXPECT_EQ(WhoHasIt(crawl), (std::vector<std::string>{"n0", "n1"}));
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  EXPECT_EQ(WhoHasIt(crawl), (std::vector<std::string>{"n0", "n1", "n2"}));
  crawl.ExpectAuditIsExact();
}

// Two of the three nodes have it still.
TEST(PublishClusterTest, ANodeThatReplacesALostOneLearnsThemWithItsOrder) {
  ClusterCrawl crawl(3, absl::Milliseconds(1), 100, 10);
  crawl.StartAll();
  ASSERT_EQ(crawl.Crawl().code, 0);
  for (const int node : {0, 1, 2}) {
    crawl.Stop(node);
    crawl.Start(node, kSlowly);
  }
  ASSERT_EQ(InCluster(crawl, {"never", "--host", "a.test"}).code, 0);
  crawl.Kill(1);
  std::filesystem::remove_all(crawl.data(1));
  const Said declared = RunProgram("opic", {"cluster", "declare-lost", "1", "--cluster",
                                            crawl.file(), "--out", crawl.file(), "--force"});
  ASSERT_EQ(declared.code, 0) << declared.output;
  crawl.Start(1, kSlowly);
  EXPECT_EQ(WhoHasIt(crawl), (std::vector<std::string>{"n0", "n2"}));
  const Said ordered = RunProgram(
      "opic", {"control", "seed", crawl.sample().web().seed_url(), "--cluster", crawl.file()});
  ASSERT_EQ(ordered.code, 0) << ordered.output;
  EXPECT_EQ(WhoHasIt(crawl), (std::vector<std::string>{"n0", "n1", "n2"}));
}

}  // namespace
}  // namespace opic::scenarios

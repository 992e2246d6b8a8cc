// Settings of hosts from a file: changed while the crawl runs, and held against what operators say.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

// Every page of every host leads to one that nobody saw before.
support::HttpReply EndlessHost(const support::HttpRequest& request) {
  if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
  const std::string next = std::to_string(std::atoi(request.target.c_str() + 1) + 1);
  return support::Answer("200 OK", "Content-Type: text/html\r\n", "<a href=/" + next + ">x</a>");
}

class HostsFileCrawlTest : public testing::Test {
 protected:
  Words CrawlWords(const Words& more) const {
    Words words = {
        "crawl",        "--data",  data_,          "--scope",
        "host",         "--delay", "20ms",         "--allow-private",
        "--hosts-file", file_,     "--connect-to", "::127.0.0.1:" + std::to_string(server_.port())};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void Write(const std::string& text) const {
    std::ofstream(file_ + ".new") << text;
    std::filesystem::rename(file_ + ".new", file_);
  }
  // Of pages of this host, that began after `since`.
  size_t Hits(const std::string& host, absl::Time since = absl::InfinitePast()) const {
    size_t hits = 0;
    for (const support::HttpRequest& request : server_.requests()) {
      hits += request.target != "/robots.txt" && request.Header("Host") == host &&
              request.started > since;
    }
    return hits;
  }
  bool AwaitHits(const std::string& host, size_t count, absl::Time since) const {
    return support::Eventually(SampleCrawl::kPatience, [&] { return Hits(host, since) >= count; });
  }
  Said Control(const Words& words) const {
    Words all = {"control"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--data", data_});
    return RunProgram("opic", all);
  }

  const std::string folder_ = FreshFolder();
  const std::string data_ = folder_ + "/data", file_ = folder_ + "/hosts.opic";
  support::HttpServer server_{EndlessHost};
};

// A second after the program has said that it has read its file again.
testing::AssertionResult SaysAndObeys(const support::Process& process, const std::string& line,
                                      absl::Time* obeyed) {
  const bool said = support::Eventually(
      SampleCrawl::kPatience, [&] { return process.output().find(line) != std::string::npos; });
  if (!said) return testing::AssertionFailure() << process.output();
  *obeyed = support::WallTime() + absl::Seconds(1);
  support::Eventually(SampleCrawl::kPatience, [&] { return support::WallTime() > *obeyed; });
  return testing::AssertionSuccess();
}

TEST_F(HostsFileCrawlTest, ANewFileHoldsOnSighupAndABrokenOneChangesNothing) {
  Write("# at first\r\nhost a.test block\r\n");
  Words words = CrawlWords({"http://a.test/", "http://b.test/", "http://c.test/"});
  words.insert(words.begin(), Program("opic"));
  support::Process crawl(words, {.output = folder_ + "/crawl.out"});
  ASSERT_TRUE(AwaitHits("c.test", 10, absl::InfinitePast())) << crawl.output();
  ASSERT_TRUE(AwaitHits("b.test", 1, absl::InfinitePast())) << crawl.output();
  EXPECT_EQ(Hits("a.test"), 0u);
  const Said why = RunProgram("opic", {"explain", "http://a.test/", "--data", data_});
  EXPECT_NE(why.output.find("Blocked by the node's hosts file"), std::string::npos) << why.output;
  const Said refused = Control({"unblock", "a.test"});
  EXPECT_EQ(refused.code, 3) << refused.output;
  EXPECT_NE(refused.output.find(file_), std::string::npos) << refused.output;

  Write("host b.test block\nhost a.test delay 10ms\n");
  crawl.Signal(SIGHUP);
  absl::Time obeyed;
  ASSERT_TRUE(SaysAndObeys(crawl, "read again, 2 rules; 2 are new, changed or removed", &obeyed));
  ASSERT_TRUE(AwaitHits("a.test", 10, obeyed)) << crawl.output();
  ASSERT_TRUE(AwaitHits("c.test", 10, obeyed)) << crawl.output();
  EXPECT_EQ(Hits("b.test", obeyed), 0u);

  Write("host c.test block\nhost a.test dealy 10ms\n");
  crawl.Signal(SIGHUP);
  absl::Time refused_at;
  ASSERT_TRUE(SaysAndObeys(crawl, file_ + ", line 2: \"dealy\" is not a setting", &refused_at));
  ASSERT_TRUE(AwaitHits("a.test", 10, refused_at)) << crawl.output();
  ASSERT_TRUE(AwaitHits("c.test", 10, refused_at)) << crawl.output();
  EXPECT_EQ(Hits("b.test", obeyed), 0u);

  const Said shown = Control({"show", "--json"});
  const nlohmann::json file = nlohmann::json::parse(shown.answer, nullptr, false)["hosts_file"];
  EXPECT_EQ(file["path"], file_) << shown.output;
  EXPECT_EQ(file["rules"].size(), 2u) << "those in force: " << shown.output;

  crawl.Kill();
  const Said again = RunProgram("opic", CrawlWords({}));
  EXPECT_EQ(again.code, 2) << "a start refuses it: " << again.output;
  EXPECT_NE(again.output.find(file_ + ", line 2: \"dealy\""), std::string::npos) << again.output;
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data_}).code, 0);
}

TEST_F(HostsFileCrawlTest, AnOperatorWinsOverTheFileAndTheFileOverTheFlags) {
  Write("host a.test pages 3\n");
  const Words words = CrawlWords({"--host-pages", "5", "http://a.test/", "http://b.test/"});
  const Said ended = RunProgram("opic", words);
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(Hits("a.test"), 3u);
  EXPECT_EQ(Hits("b.test"), 5u);

  ASSERT_EQ(Control({"host", "a.test", "--pages", "4"}).code, 0);
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(Hits("a.test"), 4u);
  Write("host a.test pages 9\n");
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(Hits("a.test"), 4u) << "the operator's word stands";
  ASSERT_EQ(Control({"host", "a.test", "--clear"}).code, 0);
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(Hits("a.test"), 9u);
  EXPECT_EQ(Hits("b.test"), 5u);
}

TEST_F(HostsFileCrawlTest, HostsOfAGroupShareItsBudgetOverRestarts) {
  Write("group farm pages 6\nhost a.test group farm\ndomain b.test group farm\n");
  const Words words =
      CrawlWords({"--host-pages", "5", "http://a.test/", "http://www.b.test/", "http://c.test/"});
  const auto hits = [this] { return Hits("a.test") + Hits("www.b.test"); };
  const Said ended = RunProgram("opic", words);
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(hits(), 6u);
  EXPECT_EQ(Hits("c.test"), 5u);
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(hits(), 6u);
  Write("group farm pages 8\nhost a.test group farm\ndomain b.test group farm\n");
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(hits(), 8u);
  EXPECT_EQ(Hits("c.test"), 5u);
  const Said groups = RunProgram("opic", {"sites", "--group", "--json", "--data", data_});
  const nlohmann::json told = nlohmann::json::parse(groups.answer, nullptr, false);
  ASSERT_EQ(told["sites"].size(), 1u) << groups.output;
  EXPECT_EQ(told["sites"][0]["name"], "farm");
  EXPECT_EQ(told["sites"][0]["asked_for"], 8);
  EXPECT_GT(told["sites"][0]["bytes_received"], 8);
  EXPECT_FALSE(told["sites"][0].contains("importance")) << "it is not known at rest";
  const Said words_of_groups = RunProgram("opic", {"sites", "--group", "--data", data_});
  EXPECT_NE(words_of_groups.output.find("are not known at rest"), std::string::npos)
      << words_of_groups.output;
}

TEST_F(HostsFileCrawlTest, AHostGetsItsShareOfTheRate) {
  Write("host a.test share 5%\n");
  Words words = CrawlWords(
      {"--rate", "40", "http://a.test/", "http://b.test/", "http://c.test/", "http://d.test/"});
  words.insert(words.begin(), Program("opic"));
  const absl::Time begin = support::WallTime();
  support::Process crawl(words, {.output = folder_ + "/crawl.out"});
  ASSERT_TRUE(AwaitHits("b.test", 40, absl::InfinitePast())) << crawl.output();
  const size_t hits = Hits("a.test");
  const double seconds = absl::ToDoubleSeconds(support::WallTime() - begin);
  EXPECT_GE(hits, 1u);
  EXPECT_LE(static_cast<double>(hits), 0.05 * 40 * seconds + 3) << "in " << seconds << " s";
  EXPECT_LT(hits, 20u) << "an even share is 40";
  const Said shown = Control({"show"});
  EXPECT_NE(shown.output.find("share      5% of --rate, of a.test\n"), std::string::npos)
      << shown.output;
  const nlohmann::json shares =
      nlohmann::json::parse(Control({"show", "--json"}).answer, nullptr, false);
  EXPECT_EQ(shares["hosts_file"]["shares"],
            nlohmann::json::parse(R"([{"host": "a.test", "share": 0.05}])"))
      << shares;
}

// Each page is one link deeper than the one before.
TEST_F(HostsFileCrawlTest, AHostIsReadToItsDepth) {
  Write("host a.test depth 4\ndomain b.test depth 2\n");
  const Words words = CrawlWords({"http://a.test/", "http://www.b.test/", "--no-settle"});
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(Hits("a.test"), 5u) << "the seed, and four links from it";
  EXPECT_EQ(Hits("www.b.test"), 3u);
  const Said why = RunProgram("opic", {"explain", "http://a.test/5", "--data", data_});
  EXPECT_NE(why.output.find("depth in the hosts file"), std::string::npos) << why.output;

  Write("host a.test depth 7\ndomain b.test depth 1\n");
  Words stay = words;
  stay.insert(stay.begin(), Program("opic"));
  stay.emplace_back("--stay");
  support::Process crawl(stay, {.output = folder_ + "/crawl.out"});
  ASSERT_TRUE(AwaitHits("a.test", 8, absl::InfinitePast())) << "a new start: " << crawl.output();
  Write("host a.test depth 9\n");
  crawl.Signal(SIGHUP);
  ASSERT_TRUE(AwaitHits("a.test", 10, absl::InfinitePast())) << "SIGHUP: " << crawl.output();
  ASSERT_TRUE(AwaitHits("www.b.test", 10, absl::InfinitePast())) << "it has no bound any more";
  EXPECT_EQ(Hits("a.test"), 10u);
  const Said shown = Control({"show", "--json"});
  const nlohmann::json file = nlohmann::json::parse(shown.answer, nullptr, false)["hosts_file"];
  EXPECT_EQ(file["depths"].dump(), R"([{"depth":9,"host":"a.test"}])") << shown.output;
  crawl.Kill();
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data_}).code, 0);
}

}  // namespace
}  // namespace opic::scenarios

// Questions as JSON over HTTP, to the real nodes of a cluster.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tests/scenarios/cluster_crawl.h"
#include "tests/support/curl_client.h"

namespace opic::scenarios {
namespace {

using nlohmann::json;

// A node says in its log where it answers.
std::string AddressOf(const support::Process& process) {
  const std::string before = "questions as JSON at ", after = "/opic.v1.";
  std::string address;
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    const std::string output = process.output();
    const size_t begin = output.find(before);
    if (begin == output.npos || output.find(after, begin) == output.npos) return false;
    address = output.substr(begin + before.size());
    address.resize(address.find(after));
    return true;
  })) << process.output();
  return address;
}

class JsonQuestionsTest : public testing::Test {
 protected:
  support::CurlResponse Post(int node, const std::string& call, const json& question) {
    return support::Curl({.url = absl::StrCat(AddressOf(crawl_.process(node)), "/opic.v1.", call),
                          .body = question.dump()});
  }
  json Ask(int node, const std::string& call, const json& question) {
    const support::CurlResponse response = Post(node, call, question);
    EXPECT_EQ(response.status, 200) << call << ": " << response.body << response.error;
    return json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  }

  ClusterCrawl crawl_{3};
};

TEST_F(JsonQuestionsTest, AnyNodeAnswersForItsCluster) {
  crawl_.StartAll({"--http-questions", "0"});
  const Said said = crawl_.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  const json expected = crawl_.Ask("top", {"--count", "20"});
  for (int node = 0; node < crawl_.nodes(); ++node) {
    const json top = Ask(node, "Importance/Top", {{"count", 20}});
    EXPECT_EQ(top["known"], absl::StrCat(expected["known"].get<uint64_t>()));
    ASSERT_EQ(top["pages"].size(), 20u);
    for (size_t place = 0; place < 20; ++place)
      EXPECT_EQ(top["pages"][place]["url"], expected["pages"][place]["url"]) << place;
    EXPECT_EQ(top["missingNodes"], json::array());
  }
  const json next = Ask(0, "Importance/Top", {{"count", 5}, {"pageToken", "5"}});
  EXPECT_EQ(next["pages"][0]["url"], expected["pages"][5]["url"]);
  EXPECT_EQ(next["nextPageToken"], "10");
  const std::string best = expected["pages"][0]["url"];
  int owners = 0;
  for (int node = 0; node < crawl_.nodes(); ++node)
    owners +=
        Ask(node, "Importance/Get", {{"url", best}, {"localOnly", true}})["page"]["known"] == true;
  EXPECT_EQ(owners, 1);
  const json pages = Ask(1, "Importance/BatchGet", {{"urls", {"nonsense", best}}})["pages"];
  EXPECT_EQ(pages[0]["errorReason"], "NO_URL");
  EXPECT_EQ(pages[1]["error"], "");
  EXPECT_EQ(pages[1]["url"], best);
  EXPECT_EQ(pages[1]["state"], "PAGE_STATE_FETCHED");
  EXPECT_EQ(pages[1]["fetchedAt"].get<std::string>().back(), 'Z');
  EXPECT_FALSE(pages[1].contains("due")) << "it is not read again";
  const json crawl = Ask(1, "Control/GetStatus", json::object())["total"]["crawl"];
  EXPECT_EQ(crawl["phase"], "CRAWL_PHASE_FINISHED");
  EXPECT_EQ(Ask(1, "Audit/Take", json::object())["difference"], "0");
  EXPECT_EQ(crawl["pages"], absl::StrCat(crawl_.Ask("status")["pages"].get<uint64_t>()));
  EXPECT_FALSE(Ask(2, "Export/Read", json::object())["pages"].empty());
  EXPECT_EQ(Ask(2, "PageScheduler/Status", json::object())["queued"], "0");
  EXPECT_EQ(Post(0, "Control/Pause", {{"paused", true}}).status, 403);
  EXPECT_FALSE(crawl_.Ask("status")["paused"]);
  crawl_.Stop(2);
  EXPECT_EQ(Ask(0, "Importance/Top", {{"count", 1}})["missingNodes"],
            json::array({crawl_.map().node(NodeId{2}).name}));
}

}  // namespace
}  // namespace opic::scenarios

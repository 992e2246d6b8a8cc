// A crawl of the sample web while that changes: read again in rounds, it has the importance of the
// web of that day. Nothing changes while it is read.
#include <algorithm>
#include <fstream>

#include "absl/strings/str_format.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

class DailyCrawl {
 public:
  explicit DailyCrawl(const sample::Changes& changes)
      : crawl_(absl::Milliseconds(2), {.pages = 300, .hosts = 10, .changes = changes}, clock_) {}

  void NextDay() { clock_.Advance(absl::Hours(24)); }
  void Read(const Words& more = {}) {
    const Said said = crawl_.Crawl(more);
    ASSERT_EQ(said.code, 0) << said.output;
    crawl_.ExpectAuditIsExact();
  }
  // `opic compare` with the exact importance of this moment.
  nlohmann::json Compared() const {
    const std::string path = crawl_.folder() + "/truth.tsv";
    std::ofstream file(path);
    for (const sample::RankedPage& page : crawl_.web().exact_ranks()) {
      file << absl::StrFormat("%.17g\t%s\n", page.importance, page.url);
    }
    file.close();
    return crawl_.Ask("compare", {"--truth", path});
  }
  double Error() const { return Compared()["error_percent"].get<double>(); }
  int64_t NotModified() const {
    const std::vector<sample::Hit> hits = crawl_.web().hits();
    return std::count_if(hits.begin(), hits.end(),
                         [](const sample::Hit& hit) { return hit.status == 304; });
  }

 private:
  base::ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  SampleCrawl crawl_;
};

TEST(ChangingWebTest, ARoundFindsTheImportanceOfItsDay) {
  DailyCrawl crawl({.change_rate = 0.5, .link_change = 0.5, .appear_rate = 0.03});
  crawl.Read();
  EXPECT_LT(crawl.Error(), 1);
  for (int day = 1; day <= 2; ++day) {
    crawl.NextDay();
    EXPECT_GT(crawl.Error(), 5);
    crawl.Read({"--again"});
    const nlohmann::json compared = crawl.Compared();
    EXPECT_LT(compared["error_percent"].get<double>(), 1) << compared;
    EXPECT_EQ(compared["pages_unknown"], 0);
    EXPECT_GT(crawl.NotModified(), 150 * day);
  }
}

// A page that is gone keeps its links until a second reading confirms that.
TEST(ChangingWebTest, ASecondRoundFindsTheImportanceWithoutThePagesThatVanished) {
  DailyCrawl crawl({.change_rate = 0.5, .link_change = 0.5, .vanish_rate = 0.1});
  crawl.Read();
  crawl.NextDay();
  EXPECT_GT(crawl.Error(), 5);
  crawl.Read({"--again"});
  EXPECT_GT(crawl.Error(), 1);
  crawl.Read({"--again"});
  const nlohmann::json compared = crawl.Compared();
  EXPECT_LT(compared["error_percent"].get<double>(), 1) << compared;
}

}  // namespace
}  // namespace opic::scenarios

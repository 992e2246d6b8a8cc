// The sample web of today's options is the one of earlier releases, byte for byte: data folders,
// figures in documents and comparisons between releases depend on it.
#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "gtest/gtest.h"
#include "sample/answer.h"
#include "sample/build_web.h"

namespace opic::sample {
namespace {

uint64_t HashOfAllAnswers(const Options& options) {
  const Web web = *BuildWeb(options);
  std::string all;
  for (const Site& site : web.sites) {
    const Answer robots = AnswerTo(web, {.host = site.host, .target = "/robots.txt"});
    absl::StrAppend(&all, robots.status, robots.body);
  }
  for (const Page& page : web.pages) {
    const Answer answer = AnswerTo(web, {.host = web.sites[page.site].host, .target = page.target});
    absl::StrAppend(&all, answer.status, answer.body);
    for (const auto& [name, value] : answer.headers) absl::StrAppend(&all, name, ":", value, "\n");
  }
  return base::Hash64(all);
}

TEST(SampleWebGolden, IsTheWebOfEarlierReleases) {
  EXPECT_EQ(HashOfAllAnswers({}), 16294250717814592063u);
  EXPECT_EQ(HashOfAllAnswers({.seed = 7, .pages = 400, .hosts = 8}), 16063874972102230436u);
}

}  // namespace
}  // namespace opic::sample

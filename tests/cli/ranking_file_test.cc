#include "cli/ranking_file.h"

#include <gmock/gmock.h>

#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

class RankingFile : public InOwnFolder {
 protected:
  absl::StatusOr<RankingByUrl> ReadLines(const std::string& lines) {
    return ReadRanking(Write("ranking", lines));
  }
};

TEST_F(RankingFile, HasAnImportanceAndAUrlALine) {
  const auto ranking =
      ReadLines("# importance\turl\n0.25\thttp://a.test/\n\n.75\thttp://b.test/\tx\ty\n");
  ASSERT_TRUE(ranking.ok()) << ranking.status();
  EXPECT_THAT(*ranking,
              UnorderedElementsAre(Pair("http://a.test/", 0.25), Pair("http://b.test/", 0.75)));
}

TEST_F(RankingFile, LeavesOutPagesWithoutImportance) {
  EXPECT_EQ(ReadLines("1\thttp://a.test/\n0\thttp://b.test/\n")->size(), 1u);
}

TEST_F(RankingFile, NamesTheLineThatIsWrong) {
  for (const char* line : {"0.5 http://b.test/", "0.5\t", "x\thttp://b.test/", "-1\thttp://b.test/",
                           "nan\thttp://b.test/", "inf\thttp://b.test/", "0.5\thttp://a.test/"}) {
    const absl::Status status = ReadLines("0.5\thttp://a.test/\n" + std::string(line)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << line;
    EXPECT_THAT(status.message(), HasSubstr("ranking, line 2: ")) << line;
  }
  const auto why = [&](const std::string& lines) {
    return std::string(ReadLines(lines).status().message());
  };
  EXPECT_THAT(why("1 a\n"), HasSubstr("line 1: it must have an importance, a tab and a URL"));
  EXPECT_THAT(why("-1\ta\n"), HasSubstr("line 1: its importance must be a number, 0 or more"));
  EXPECT_THAT(why("1\ta\n1\ta\n"), HasSubstr("line 2: its URL stands in an earlier line, too"));
  EXPECT_THAT(why("# nothing\n"), HasSubstr("ranking: no page in it has an importance above 0"));
  EXPECT_EQ(ReadRanking(Path("absent")).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace opic::cli

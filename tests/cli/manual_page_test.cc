#include "cli/manual_page.h"

#include <gmock/gmock.h>

#include "tests/cli/sample_program.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<ManualPage> PagesOfSample() {
  const SampleProgram sample;
  return ManualPages(HelpOf(sample.app, "sample"), 1, {{0, "done"}, {130, "interrupted"}},
                     {"other(8)"});
}

TEST(ManualPageTest, AProgramAndEachOfItsCommandsHaveAPage) {
  const std::vector<ManualPage> pages = PagesOfSample();
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].file, "man1/sample.1");
  EXPECT_EQ(pages[1].file, "man1/sample-rank.1");
  EXPECT_EQ(pages[2].file, "man1/sample-cluster.1");
}

TEST(ManualPageTest, TheProgramsPageHasCommandsCodesAndOtherPages) {
  const std::string page = PagesOfSample()[0].text;
  EXPECT_THAT(page, HasSubstr("\n.SH NAME\nsample \\- does what a test needs\n"));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fBcluster\\fR\nset up a cluster\n"));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB130\\fR\ninterrupted\n"));
  EXPECT_THAT(page, HasSubstr("\n\\fBother\\fR(8),\n\\fBsample\\-rank\\fR(1),\n"));
}

TEST(ManualPageTest, ACommandsPageHasItsArgumentsAndOptions) {
  const std::string page = PagesOfSample()[1].text;
  EXPECT_THAT(page, HasSubstr("\n\\fBsample rank\\fR \\fB\\-\\-out\\fR \\fIVALUE\\fR "
                              "[\\fIoption\\fR]\\&... \\fIfile\\fR [\\fIwords\\fR\\&...]\n"));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB\\-n\\fR, \\fB\\-\\-count\\fR \\fINUMBER\\fR\n"
                              "pages [at most]: all (in 1 \\- 9)\n"));
  EXPECT_THAT(page, HasSubstr("which one (one of "));
  EXPECT_THAT(page, HasSubstr("file to write (required)\n"));
  EXPECT_THAT(page, Not(HasSubstr("hidden")));
}

TEST(ManualPageTest, CommandsOfACommandStandInItsPage) {
  EXPECT_THAT(PagesOfSample()[2].text,
              testing::ContainsRegex("\n\\.SS \"init\"\n.*sample cluster init(.|\n)*nodes"));
}

TEST(ManualPageTest, NoTextIsTakenForACommandOfTheFormatter) {
  EXPECT_THAT(PagesOfSample()[1].text,
              HasSubstr("\n.nf\n\\&.not a macro\n\\&\\(aqnor this\n.fi\n"));
  EXPECT_EQ(Roff("a\\b"), "a\\eb");
  EXPECT_EQ(Roff("--x `y` ~z ^"), "\\-\\-x \\(gay\\(ga \\(tiz \\(ha");
}

}  // namespace
}  // namespace opic::cli

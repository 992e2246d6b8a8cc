// The pages of the real programs. That shells and man(1) take them: tests/package.
#include "cli/pages.h"

#include <gmock/gmock.h>

#include <set>

#include "cli/commands.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

using PagesTest = InOwnFolder;

TEST_F(PagesTest, EveryProgramHasAPageAndThreeCompletions) {
  std::set<std::string> paths;
  for (const PageFile& page : AllPages()) EXPECT_TRUE(paths.insert(page.path).second) << page.path;
  for (const char* path :
       {"man/man1/opic.1", "man/man1/opic-crawl.1", "man/man1/opic-cluster.1",
        "man/man8/opic-node.8", "man/man8/opic-scheduler.8", "bash-completion/completions/opic",
        "bash-completion/completions/opic-node", "bash-completion/completions/opic-scheduler",
        "zsh/vendor-completions/_opic", "zsh/vendor-completions/_opic-node",
        "fish/vendor_completions.d/opic-scheduler.fish"})
    EXPECT_TRUE(paths.contains(path)) << path;
  EXPECT_EQ(paths.size(), std::size(kCommands) + 3 + 9);
}

// A page is made again for every build: the same help must give the same bytes.
TEST_F(PagesTest, TheyAreTheSameEachTime) {
  const std::vector<PageFile> first = AllPages(), second = AllPages();
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].text, second[i].text);
}

TEST_F(PagesTest, AFileThatCannotBeWrittenIsNamed) {
  EXPECT_TRUE(WritePages(Path("share")).ok());
  EXPECT_THAT(Read("share/man/man8/opic-node.8"), HasSubstr(".SH EXIT STATUS"));
  const std::string taken = Write("taken", "a file");
  EXPECT_THAT(std::string(WritePages(taken).message()), HasSubstr(taken + "/man/man1/opic.1"));
}

TEST_F(PagesTest, TheToolTakesAFolderAndNothingElse) {
  char name[] = "opic-pages", help[] = "--help";
  char* arguments[] = {name, help, nullptr};
  testing::internal::CaptureStderr();
  EXPECT_EQ(PagesMain(2, arguments), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("opic-pages: give the folder"));
}

}  // namespace
}  // namespace opic::cli

// What the scripts say. That the shells take them: tests/package.
#include "cli/completion.h"

#include <gmock/gmock.h>

#include "tests/cli/sample_program.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

HelpCommand HelpOfSample() {
  const SampleProgram sample;
  return HelpOf(sample.app, "sample");
}

TEST(CompletionTest, BashKnowsCommandsOptionsAndChoices) {
  const std::string script = BashCompletion(HelpOfSample());
  EXPECT_THAT(script, HasSubstr("    'sample cluster')\n      commands='init'\n"));
  EXPECT_THAT(script, HasSubstr("      options='-h --help -n --count --order --out'\n"
                                "      valued='-n --count --order --out'\n"));
  EXPECT_THAT(script, HasSubstr("'sample rank --order') choices='jacobi chaotic' ;;"));
  EXPECT_THAT(script, HasSubstr("complete -o default -F _sample sample\n"));
  EXPECT_THAT(script, Not(HasSubstr("hidden")));
}

TEST(CompletionTest, ZshHasExplanationsWithWhatItTakesForSyntaxEscaped) {
  const std::string script = ZshCompletion(HelpOfSample());
  EXPECT_EQ(script.substr(0, 16), "#compdef sample\n");
  EXPECT_THAT(script, HasSubstr("'rank:rank pages; it'\\''s off-line. More of it'\n"));
  EXPECT_THAT(script, HasSubstr("'*--count=[pages \\[at most\\]: all]:NUMBER:_files'"));
  EXPECT_THAT(script, HasSubstr("'*--order=[which one]:VALUE:(jacobi chaotic)'"));
  EXPECT_THAT(script, HasSubstr("'*--quiet[say nothing]'"));
}

TEST(CompletionTest, FishHasALineForEachWord) {
  const std::string script = FishCompletion(HelpOfSample());
  EXPECT_THAT(script, HasSubstr("complete -c sample -n '__fish_sample_at sample' -f -a rank -d "
                                "'rank pages; it\\'s off-line. More of it'\n"));
  EXPECT_THAT(script, HasSubstr("complete -c sample -n '__fish_sample_at sample rank' -s n -l "
                                "count -r -d 'pages [at most]: all'\n"));
  EXPECT_THAT(script, HasSubstr(" -l order -x -a 'jacobi chaotic' -d 'which one'\n"));
}

TEST(CompletionTest, AProgramWithoutCommandsIsCompletedToo) {
  HelpCommand service;
  service.path = "opic-node";
  service.options = {{.names = {"--data"},
                      .value = "VALUE",
                      .limits = "",
                      .choices = {},
                      .description = "data folder",
                      .required = false}};
  EXPECT_THAT(BashCompletion(service), HasSubstr("complete -o default -F _opic_node opic-node\n"));
  EXPECT_THAT(ZshCompletion(service), HasSubstr("'*--data=[data folder]:VALUE:_files'"));
  EXPECT_THAT(FishCompletion(service), HasSubstr("function __fish_opic_node_at "));
}

}  // namespace
}  // namespace opic::cli

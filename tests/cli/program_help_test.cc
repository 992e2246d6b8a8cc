#include "cli/program_help.h"

#include <gmock/gmock.h>

#include "tests/cli/sample_program.h"

namespace opic::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> NamesOf(const HelpCommand& command) {
  std::vector<std::string> names;
  for (const HelpOption& option : command.options) names.push_back(option.names.back());
  return names;
}

TEST(ProgramHelpTest, CommandsAreFoundWithTheirPaths) {
  const SampleProgram sample;
  const HelpCommand help = HelpOf(sample.app, "sample");
  std::vector<std::string> paths;
  for (const HelpCommand* command : WithCommands(help)) paths.push_back(command->path);
  EXPECT_THAT(paths, ElementsAre("sample", "sample rank", "sample cluster", "sample cluster init"));
  EXPECT_EQ(LastWord(help), "sample");
  EXPECT_EQ(LastWord(help.commands[1].commands[0]), "init");
}

TEST(ProgramHelpTest, OptionsHaveNamesValuesAndWhatTheyAllow) {
  const SampleProgram sample;
  const HelpCommand rank = HelpOf(sample.app, "sample").commands[0];
  EXPECT_THAT(NamesOf(rank), ElementsAre("--help", "--count", "--order", "--out"));
  EXPECT_EQ(rank.options[0].value, "");
  EXPECT_THAT(rank.options[1].names, ElementsAre("-n", "--count"));
  EXPECT_EQ(rank.options[1].value, "NUMBER");
  EXPECT_EQ(rank.options[1].limits, "1 - 9");
  EXPECT_THAT(rank.options[1].choices, IsEmpty());
  EXPECT_EQ(rank.options[2].value, "VALUE");
  EXPECT_THAT(rank.options[2].choices, testing::UnorderedElementsAre("jacobi", "chaotic"));
  EXPECT_FALSE(rank.options[2].required);
  EXPECT_TRUE(rank.options[3].required);
}

TEST(ProgramHelpTest, ArgumentsTellWhetherTheyRepeat) {
  const SampleProgram sample;
  const HelpCommand rank = HelpOf(sample.app, "sample").commands[0];
  ASSERT_EQ(rank.arguments.size(), 2u);
  EXPECT_EQ(rank.arguments[0].name, "file");
  EXPECT_TRUE(rank.arguments[0].required);
  EXPECT_FALSE(rank.arguments[0].repeated);
  EXPECT_FALSE(rank.arguments[1].required);
  EXPECT_TRUE(rank.arguments[1].repeated);
}

TEST(ProgramHelpTest, ASummaryIsTheFirstSentenceWithoutTheName) {
  const SampleProgram sample;
  const HelpCommand help = HelpOf(sample.app, "sample");
  EXPECT_EQ(Summary(help), "does what a test needs");
  EXPECT_EQ(Summary(help.commands[0]), "rank pages; it's off-line");
  HelpCommand service;
  service.path = "opic-node";
  service.description = "opic-node: one node.\nAnd so on.";
  EXPECT_EQ(Summary(service), "one node");
}

}  // namespace
}  // namespace opic::cli

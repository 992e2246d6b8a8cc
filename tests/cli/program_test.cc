// What all commands share: settings that are wrong or asked for, mistyped words, versions.
#include "cli/program.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;
using ProgramTest = InOwnFolder;

TEST_F(ProgramTest, AMistypedCommandIsAskedAfter) {
  const Said said = Opic({"crwal", "http://a.test/"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr("there is no command \"crwal\"; did you mean \"crawl\"?"));
  EXPECT_THAT(Opic({"elephant"}).error, Not(HasSubstr("did you mean")));
}

// It asked for a "subcommand".
TEST_F(ProgramTest, WithoutACommandOneIsAskedFor) {
  for (const Words& words : {Words{}, Words{"cluster"}}) {
    const Said said = Opic(words);
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.error, HasSubstr("opic: give a command\n"));
  }
}

TEST_F(ProgramTest, AMistypedOptionIsAskedAfter) {
  const Said said = Opic({"crawl", "http://a.test/", "--contct", "x"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr("there is no option --contct; did you mean \"--contact\"?"));
}

TEST_F(ProgramTest, AnOptionThatIsGivenTwiceIsNamed) {
  const Said said = Opic({"crawl", "http://a.test/", "--delay", "1s", "--delay", "2s"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr("--delay: it is given 2 times; give it once"));
}

TEST_F(ProgramTest, HealthAsksTheNodeOfAFolder) {
  const Said said = Opic({"health", "--data", Path("none")});
  EXPECT_EQ(said.code, 6) << said.error;
  EXPECT_THAT(said.error, HasSubstr("no node uses "));
}

// "asking the scheduler at ...: asking the node at ...".
TEST_F(ProgramTest, ASchedulerThatIsNotThereIsCalledOne) {
  const Said said = Opic({"explain", "--idle", "--scheduler", "127.0.0.1:1"});
  EXPECT_EQ(said.code, 6) << said.error;
  EXPECT_THAT(said.error, testing::StartsWith("opic: asking the scheduler at 127.0.0.1:1: "));
  EXPECT_THAT(said.error, Not(HasSubstr("node")));
}

// "--idle: a URL, or --idle, is required".
TEST_F(ProgramTest, WhoAsksToExplainNothingIsToldWhatToGive) {
  const Said said = Opic({"explain", "--data", Path("none")});
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(said.error, "opic: give a URL, or --idle\nTry --help.\n");
}

// "asking the node at ...: period: 24h must be from 0.1 seconds to an hour".
TEST_F(ProgramTest, ATimeBetweenLooksIsCheckedBeforeAnybodyIsAsked) {
  for (const std::string every : {"1d", "0.05s", "soon"}) {
    const Said said = Opic({"watch", "--every", every, "--data", Path("none")});
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.error, HasSubstr("opic: --every: \"" + every +
                                      "\" is not valid; it must be a time from 0.1s to 1h\n"));
  }
  for (const std::string every : {"0.1", "1h"})
    EXPECT_EQ(Opic({"watch", "--every", every, "--data", Path("none")}).code, 5);
}

TEST_F(ProgramTest, AMistypedActionIsReportedBeforeAnybodyIsAsked) {
  const Said said = Opic({"control", "pasue", "--data", Path("none")});
  EXPECT_EQ(said.code, 2) << said.error;
  EXPECT_THAT(said.error, HasSubstr("pause"));
}

// Nobody who means one host, or one node, stops all of them.
TEST_F(ProgramTest, WithAHostItIsTheHostThatIsPaused) {
  for (const auto& [action, rule] : {std::pair("pause", "block"), std::pair("resume", "unblock")}) {
    for (const Words& more : {Words{}, Words{"--domain"}, Words{"example.org"},
                              Words{"--domain", "example.org"}, Words{"--domain", "co.uk"}}) {
      Words words = {"control", action, "--data", Path("none")};
      words.insert(words.end(), more.begin(), more.end());
      const Said said = Opic(words);
      words[1] = more.empty() ? action : rule;
      EXPECT_EQ(said.error, Opic(words).error);
      EXPECT_NE(said.code, 0) << said.error;
    }
  }
}

TEST_F(ProgramTest, AnActionForAllRefusesNames) {
  const Said stopped = Opic({"control", "stop", "n1", "--data", Path("none")});
  EXPECT_EQ(stopped.code, 2) << stopped.error;
  EXPECT_THAT(stopped.error, HasSubstr("stop takes no names: \"n1\""));
}

// `block --rate` left the rate out.
TEST_F(ProgramTest, AnActionRefusesTheOptionsOfOthers) {
  const Said stopped = Opic({"control", "stop", "--domain", "--data", Path("none")});
  EXPECT_EQ(stopped.code, 2) << stopped.error;
  EXPECT_THAT(stopped.error,
              HasSubstr("--domain: is for pause, resume, block, unblock, host, not"));
  const Said blocked = Opic({"control", "block", "a.test", "--rate", "5", "--data", Path("none")});
  EXPECT_EQ(blocked.code, 2) << blocked.error;
  EXPECT_THAT(blocked.error, HasSubstr("--rate: is for budget, not for block"));
}

// The rate of a crawl's settings file became the budget beside the delay that was typed.
TEST_F(ProgramTest, OrdersToARunningNodeAreTyped) {
  std::ofstream(Path("crawl.conf")) << "pages = nonsense\ndepth = 3\n";
  const Said said = Opic({"control", "limits", "--in-flight", "3", "--config", Path("crawl.conf"),
                          "--data", Path("none")});
  EXPECT_EQ(said.code, 5) << said.error;  // no such folder: it was not the settings
}

TEST_F(ProgramTest, EveryCommandTellsItsVersion) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--version"}, {"crawl", "--version"}, {"top", "--version"}}) {
    const Said said = Opic(words);
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("opic 0.")) << words[0];
    EXPECT_THAT(said.out, HasSubstr("format"));
  }
}

TEST_F(ProgramTest, TheVersionTellsCommitAndFormats) {
  EXPECT_THAT(VersionText("opic", "0123456789ab"),
              testing::MatchesRegex(
                  "opic 0\\.[0-9]+\\.[0-9]+, commit 0123456789ab, format [0-9]+ "
                  "\\(opens folders of formats [0-9]+ to [0-9]+\\), between nodes [0-9]+"));
  EXPECT_THAT(VersionText("opic-node", ""), HasSubstr(", commit unknown, "));
}

TEST_F(ProgramTest, TheHelpOfEveryProgramTellsItsExitCodes) {
  EXPECT_THAT(Opic({"--help"}).out,
              testing::AllOf(HasSubstr("\n    0  done\n"), HasSubstr("\n    7  partial: "),
                             HasSubstr("\n  130  interrupted; saved")));
  char node[] = "opic-node", help[] = "--help";
  char* arguments[] = {node, help, nullptr};
  testing::internal::CaptureStdout();
  EXPECT_EQ(NodeMain(2, arguments), 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::AllOf(HasSubstr("\n  130  interrupted; saved"), Not(HasSubstr(" partial"))));
}

TEST_F(ProgramTest, TheServicesTellTheirs) {
  char node[] = "opic-node", scheduler[] = "opic-scheduler", version[] = "--version";
  for (const auto& [name, main] : {std::pair(node, &NodeMain), {scheduler, &SchedulerMain}}) {
    char* arguments[] = {name, version, nullptr};
    testing::internal::CaptureStdout();
    EXPECT_EQ(main(2, arguments, "0123456789ab"), 0);
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                testing::AllOf(HasSubstr(std::string(name) + " 0."),
                               HasSubstr(", commit 0123456789ab, format ")));
  }
}

TEST_F(ProgramTest, AServicesErrorsBearItsName) {
  char node[] = "opic-node", wrong[] = "--no-such-flag";
  char* arguments[] = {node, wrong, nullptr};
  testing::internal::CaptureStderr();
  EXPECT_EQ(NodeMain(2, arguments), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("opic-node: there is no option"));
}

TEST_F(ProgramTest, AWrongValueNamesTheFlag) {
  const Said said = Opic({"crawl", "--pages", "abc"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr("--pages: \"abc\" is not valid; it must be a whole number"));
}

TEST_F(ProgramTest, ACountTellsItsLimitReadably) {
  EXPECT_THAT(Opic({"crawl", "--pages=-1"}).error,
              HasSubstr("--pages: \"-1\" is not valid; it must be a whole number, 0 or more\n"));
  EXPECT_THAT(Opic({"crawl", "--pages", "2000000000000000000"}).error,
              HasSubstr("it must be a whole number, 0 or more, at most 2^60\n"));
}

// "nan" meant as fast as it can.
TEST_F(ProgramTest, RestatingRefusesARateThatIsNoNumber) {
  for (const std::string rate : {"nan", "-1"}) {
    const Said said = Opic({"restate", "--data", Path("none"), "--rate=" + rate});
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.error, HasSubstr("--rate: \"" + rate + "\" is not valid"));
  }
}

TEST_F(ProgramTest, AWrongValueOfAFileNamesFileAndLine) {
  const std::string config = Write("crawl.conf", "delay = 1s\npages = abc\n");
  const Said said = Opic({"crawl", "--config", config});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr(config + ":2: --pages: \"abc\" is not valid"));
  const std::string other = Write("other.conf", "# none\n\ndelay = soon\n");
  EXPECT_THAT(Opic({"crawl", "http://127.0.0.1/", "--config", other}).error,
              HasSubstr(other + ":3: --delay: \"soon\" is not valid"));
}

TEST_F(ProgramTest, AWrongValueOfAVariableNamesIt) {
  setenv("OPIC_IN_FLIGHT", "abc", 1);
  const Said said = Opic({"crawl", "http://127.0.0.1/"});
  unsetenv("OPIC_IN_FLIGHT");
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr("the variable OPIC_IN_FLIGHT: --in-flight: \"abc\""));
}

// They were a "data folder refused".
TEST_F(ProgramTest, AFolderIsNoFileOfASetting) {
  const Said config = Opic({"crawl", "--config", Path("")});
  EXPECT_EQ(config.code, 2);
  EXPECT_THAT(config.error, HasSubstr("--config: " + Path("") + " is a folder"));
  const Said seeds = Opic({"crawl", "--seed-file", Path(""), "--data", Path("data")});
  EXPECT_EQ(seeds.code, 2);
  EXPECT_THAT(seeds.error, HasSubstr("--seed-file: " + Path("") + " is a folder"));
}

TEST_F(ProgramTest, OneFileServesAllCommands) {
  const std::string config =
      Write("opic.conf", "contact = me@example.org\ndelay = 2s\noutbox-max = 1G\ncount = 5\n");
  EXPECT_EQ(Opic({"status", "--config", config, "--data", Path("none")}).code, 5);
  const std::string wrong = Write("wrong.conf", "contract = me@example.org\n");
  const Said said = Opic({"status", "--config", wrong});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr(wrong + ":1: unknown key \"contract\""));
}

// `opic sites` refused a domain of the file, which is for `opic top`.
TEST_F(ProgramTest, ASwitchOfOneCommandMayHaveValuesInOthers) {
  const std::string config =
      Write("opic.conf", "domain = example.org\ndomain = true\npages = 10\n");
  const auto printed = [&](const std::string& command) {
    const Said said = Opic({command, "--config", config, "--print-config"});
    EXPECT_EQ(said.code, 0) << said.error;
    return said.out;
  };
  EXPECT_THAT(printed("sites"), HasSubstr("\ndomain = true "));
  EXPECT_THAT(printed("top"), HasSubstr("\ndomain = example.org "));
  EXPECT_THAT(printed("top"), Not(HasSubstr("\ndomain = true ")));
  EXPECT_THAT(printed("export"), HasSubstr("\npages = false "));
  setenv("OPIC_DOMAIN", "example.org", 1);
  EXPECT_EQ(Opic({"sites", "--data", Path("none")}).code, 5);
  unsetenv("OPIC_DOMAIN");
}

// `opic cluster shards` said that --cluster is required.
TEST_F(ProgramTest, CommandsOfACommandHaveSettings) {
  const std::string cluster = Path("none.json");
  setenv("OPIC_CLUSTER", cluster.c_str(), 1);
  const Said said = Opic({"cluster", "shards"});
  const Said printed = Opic({"cluster", "shards", "--print-config"});
  unsetenv("OPIC_CLUSTER");
  EXPECT_EQ(said.code, 5) << said.error;
  EXPECT_THAT(said.error, HasSubstr(cluster));
  EXPECT_EQ(printed.code, 0) << printed.error;
  EXPECT_THAT(printed.out, HasSubstr("\ncluster = " + cluster + " "));
  const std::string config = Write("opic.conf", "cluster = " + cluster + "\npatience = 1s\n");
  EXPECT_EQ(Opic({"cluster", "mend-epochs", "--config", config}).code, 5);
  const std::string file = Write("wrong.conf", "cluster = " + cluster + "\npatients = 1s\n");
  const Said wrong = Opic({"cluster", "drain", "a", "--config", file});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("wrong.conf:2: unknown key \"patients\""));
}

TEST_F(ProgramTest, PrintConfigTellsTheSourceOfEachValue) {
  const std::string config = Write("opic.conf", "delay = 2s\nproxy = http://me:secret@p.test:1\n");
  setenv("OPIC_CONTACT", "me@example.org", 1);
  const Said said =
      Opic({"crawl", "http://127.0.0.1/", "--config", config, "--pages", "7", "--again",
            "--print-config", "--exclude", "*a*", "--exclude", "*b*", "--header", "X-Key: secret"});
  unsetenv("OPIC_CONTACT");
  EXPECT_EQ(said.code, 0) << said.error;
  EXPECT_THAT(said.out, testing::ContainsRegex("delay = 2s +# .*opic.conf:1\n"));
  EXPECT_THAT(said.out,
              testing::ContainsRegex("contact = me@example.org +# the variable OPIC_CONTACT\n"));
  EXPECT_THAT(said.out, testing::ContainsRegex("pages = 7 +# command line\n"));
  EXPECT_THAT(said.out, testing::ContainsRegex("again = true +# command line\n"));
  EXPECT_THAT(said.out, testing::ContainsRegex("allow-private = false +# default\n"));
  EXPECT_THAT(said.out, testing::ContainsRegex("in-flight = 256 +# default\n"));
  EXPECT_THAT(said.out, testing::ContainsRegex("exclude = \\*a\\* +# command line\n"));
  EXPECT_THAT(said.out, testing::ContainsRegex("exclude = \\*b\\* +# command line\n"));
  EXPECT_THAT(said.out,
              testing::ContainsRegex("proxy = http://me:...@p.test:1 +# [^\n]*left out\n"));
  EXPECT_THAT(said.out, testing::ContainsRegex("header = X-Key: ... +# [^\n]*left out\n"));
  EXPECT_THAT(said.out, Not(HasSubstr("secret")));
}

// It printed everything, and ended with 2: "no seeds".
TEST_F(ProgramTest, WhatIsPrintedNeedsNoSeeds) {
  Words words = {"crawl", "--data", Path("data"), "--print-config"};
  const Said said = Opic(words);
  EXPECT_EQ(said.code, 0) << said.error;
  words.push_back("--check-config");
  EXPECT_EQ(Opic(words).code, 2);
}

// What is printed is a file that says the same.
TEST_F(ProgramTest, WhatIsPrintedCanBeRead) {
  const Said first = Opic({"crawl", "http://127.0.0.1/", "--print-config", "--pages", "7"});
  ASSERT_EQ(first.code, 0) << first.error;
  const std::string config = Write("printed.conf", first.out);
  const Said second = Opic({"crawl", "http://127.0.0.1/", "--print-config", "--config", config});
  EXPECT_EQ(second.code, 0) << second.error;
  EXPECT_THAT(second.out, HasSubstr("\npages = 7 "));
}

TEST_F(ProgramTest, CheckConfigMakesNothing) {
  const std::string data = Path("data");
  EXPECT_EQ(Opic({"crawl", "http://127.0.0.1/", "--data", data, "--check-config"}).code, 0);
  EXPECT_EQ(
      Opic({"crawl", "http://127.0.0.1/", "--data", data, "--check-config", "--delay", "soon"})
          .code,
      2);
  EXPECT_FALSE(std::filesystem::exists(data));
}

// All of these were in order, and refused at the start.
TEST_F(ProgramTest, CheckConfigRefusesWhatAStartRefuses) {
  const std::vector<std::string> good = {"http://127.0.0.1/", "--data", Path("data")};
  const std::vector<std::vector<std::string>> wrong = {
      {"git.test", "--data", Path("data")},
      {"--data", Path("data")},  // no seeds
      {"http://127.0.0.1/", "--log-format", "xml"},
      {"http://127.0.0.1/", "--log-file", Path("no/such/folder/log")},
      {"http://127.0.0.1/", "--listen", "0.0.0.0:0"},
      {"http://127.0.0.1/", "--listen", "0.0.0.0:0", "--listen-control", "with-peers"},
      {"http://127.0.0.1/", "--listen-questions", "0.0.0.0:0"},
      {"http://127.0.0.1/", "--timeout", "0"},
      {"http://127.0.0.1/", "--ca-file", Path("none")},
  };
  const auto check = [](std::vector<std::string> words) {
    words.insert(words.begin(), "crawl");
    words.push_back("--check-config");
    return Opic(words);
  };
  EXPECT_EQ(check(good).code, 0);
  for (const std::vector<std::string>& words : wrong)
    EXPECT_EQ(check(words).code, 2) << words.back();
  EXPECT_FALSE(std::filesystem::exists(Path("data")));
}

// These, too.
TEST_F(ProgramTest, CheckConfigRefusesWhatACrawlOfAClusterRefuses) {
  const std::string cluster = Path("cluster.json");
  ASSERT_EQ(Opic({"cluster", "init", "--nodes", "2", "--out", cluster}).code, 0);
  const std::vector<std::pair<Words, int>> cases = {
      {{"http://a.test/", "--cluster", cluster}, 0},
      {{"--cluster", cluster, "--data", Path("data")}, 2},  // of the nodes
      {{"--cluster", Path("none")}, 5},
      {{"--cluster", cluster, "--log-file", Path("no/such/folder/log")}, 2},
      {{"--cluster", cluster, "--patience", "soon"}, 2},
      {{"--cluster", cluster, "--token-file", Path("none")}, 5},
      {{"git.test", "--cluster", cluster}, 2},
  };
  for (const auto& [words, code] : cases) {
    Words all = words;
    all.insert(all.begin(), "crawl");
    all.push_back("--check-config");
    const Said said = Opic(all);
    EXPECT_EQ(said.code, code) << testing::PrintToString(words) << said.error;
    EXPECT_EQ(said.out, code == 0 ? "the settings are in order\n" : "");
  }
  EXPECT_EQ(Opic({"crawl", "--cluster", cluster, "--print-config"}).code, 0);
}

TEST_F(ProgramTest, TwoPatternsInOneAreRefused) {
  const std::string config = Write("opic.conf", "exclude = *a*, *b*\n");
  const Said said = Opic({"crawl", "http://127.0.0.1/", "--config", config, "--check-config"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr(config + ":1: --exclude: \"*a*, *b*\""));
}

TEST_F(ProgramTest, ASeedWithoutASchemeIsOffered) {
  const Said said = Opic({"crawl", "git.test", "--data", Path("data")});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr("did you mean \"http://git.test/\"?"));
}

}  // namespace
}  // namespace opic::cli

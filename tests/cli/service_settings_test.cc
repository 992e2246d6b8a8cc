// What opic-node and opic-scheduler make of settings that all programs share.
#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/exit_code.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

class ServiceSettingsTest : public InOwnFolder {
 protected:
  ~ServiceSettingsTest() override { unsetenv("OPIC_NODE"); }
  Said Checked(decltype(&OpicMain) main, std::vector<std::string> words) const {
    words.insert(words.begin(), main == &NodeMain ? "opic-node" : "opic-scheduler");
    words.insert(words.end(), {"--data", Path("data"), "--check-config"});
    return RunMain(main, std::move(words));
  }
};

// The scheduler did not start.
TEST_F(ServiceSettingsTest, ANodeThatAllProgramsShareIsNoneOfTheSchedulerOnLoopback) {
  const std::string config = Write("opic.conf", "node = node0\n");
  const Said of_file = Checked(&SchedulerMain, {"--config", config});
  EXPECT_EQ(of_file.code, kOk) << of_file.error;
  setenv("OPIC_NODE", "node0", 1);
  const Said of_variable = Checked(&SchedulerMain, {});
  EXPECT_EQ(of_variable.code, kOk) << of_variable.error;
  const Said trusting =
      Checked(&SchedulerMain, {"--listen", "203.0.113.1:7071", "--insecure-listen"});
  EXPECT_EQ(trusting.code, kUsage) << "it would let everybody in";
}

TEST_F(ServiceSettingsTest, ANodeThatIsTypedIsToBeChecked) {
  const Said said = Checked(&SchedulerMain, {"--node", "node0"});
  EXPECT_EQ(said.code, kUsage);
  EXPECT_THAT(said.error,
              HasSubstr("opic-scheduler: --node node0 cannot be checked on 127.0.0.1:7071, where "
                        "no certificates are used: leave it out, or listen beyond loopback with "
                        "--tls-ca, --tls-cert and --tls-key\n"));
}

// It was taken, and had no effect.
TEST_F(ServiceSettingsTest, ASchedulerTakesNoTokens) {
  const Said typed = Checked(&SchedulerMain, {"--token-file", Path("none")});
  EXPECT_EQ(typed.code, kUsage);
  EXPECT_THAT(typed.error, HasSubstr("there is no option --token-file"));
  const std::string config = Write("opic.conf", "token-file = " + Path("none") + "\n");
  EXPECT_EQ(Checked(&SchedulerMain, {"--config", config}).code, kOk) << "it is of the node";
  EXPECT_EQ(Checked(&NodeMain, {"--config", config}).code, kNotFound);
}

// They were taken, and had no effect.
TEST_F(ServiceSettingsTest, ANodeHasNoEndOfItsOwn) {
  for (const std::string option : {"--stay", "--quiet"}) {
    const Said typed = Checked(&NodeMain, {option});
    EXPECT_EQ(typed.code, kUsage);
    EXPECT_THAT(typed.error, HasSubstr("there is no option " + option));
  }
  const std::string config = Write("opic.conf", "stay = true\nquiet = true\n");
  const Said shared = Checked(&NodeMain, {"--config", config});
  EXPECT_EQ(shared.code, kOk) << shared.error;
}

// It told that of `opic crawl`.
TEST_F(ServiceSettingsTest, TheHelpOfANodeTellsWhereItListens) {
  const std::string help = RunMain(&NodeMain, {"opic-node", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("(default 127.0.0.1:7070, or with --cluster the address"));
  EXPECT_THAT(help, testing::Not(HasSubstr("127.0.0.1:0")));
  EXPECT_THAT(Opic({"crawl", "--help"}).out, HasSubstr("(default 127.0.0.1:0, any free port)"));
}

}  // namespace
}  // namespace opic::cli

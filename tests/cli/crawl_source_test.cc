// Whose pages `opic export` and its like read, by flags and by variables.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Of two nodes without pages. The variables are those of a pod.
class CrawlSourceTest : public ServedCluster<rpc::ScriptedNode, 2> {
 protected:
  void SetUp() override {
    ServedCluster::SetUp();
    variables_ = {{"OPIC_CLUSTER", file()}, {"OPIC_NODE", "n1"}, {"OPIC_DATA", Path("none")}};
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  void TearDown() override {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::string> variables_;
};

// All four said that --data cannot be combined with --cluster or --node.
TEST_F(CrawlSourceTest, InAPodItsNodeIsAsked) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"export", "--pages"}, {"hosts"}, {"rank"}, {"compare"}}) {
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kFailed) << words[0];
    EXPECT_THAT(said.error, HasSubstr("asking n1 at " + map().nodes()[1].address + ": no pages"));
  }
}

TEST_F(CrawlSourceTest, AFolderThatIsTypedGoesBeforeVariables) {
  for (const char* command : {"export", "hosts"}) {
    std::vector<std::string> words = {command, "--data", Path("typed")};
    if (words[0] == "export") words.push_back("--pages");
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kNotFound) << command;
    EXPECT_THAT(said.error, HasSubstr(Path("typed")));
  }
}

TEST_F(CrawlSourceTest, AFolderAndANodeAreNotTypedTogether) {
  const Said said = Opic({"export", "--pages", "--data", Path("typed"), "--node", "n0"});
  EXPECT_EQ(said.code, kUsage);
  EXPECT_THAT(said.error, StartsWith("opic: --data cannot be combined with --cluster or --node"));
}

// It asked for either an edge list or a crawl.
TEST_F(CrawlSourceTest, AnEdgeListThatIsTypedGoesBeforeVariables) {
  const std::string list = Write("list", "0 1\n1 2\n");
  const Said said = Opic({"rank", list, "--quiet"});
  EXPECT_EQ(said.code, kOk) << said.error;
  EXPECT_THAT(said.out, StartsWith("# page\timportance\n"));
  EXPECT_EQ(Opic({"rank", list, "--node", "n0"}).code, kUsage);
}

}  // namespace
}  // namespace opic::cli

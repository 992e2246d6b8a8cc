// opic control show, of a cluster whose nodes do not say.
#include "cli/control_show.h"

#include <gmock/gmock.h>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// May refuse to say what is in force.
class Shower final : public rpc::ScriptedNode {
 public:
  absl::StatusOr<node::InForce> WhatIsInForce() override {
    RETURN_IF_ERROR(answer);
    return ScriptedNode::WhatIsInForce();
  }
  absl::Status answer;
};

class ControlShowTest : public ServedCluster<Shower, 2> {
 protected:
  Said Show() { return Opic({"control", "show", "--cluster", file()}); }
};

// It ended with "no node of the cluster answers" and 6, though both had answered.
TEST_F(ControlShowTest, WhatAllNodesRefuseIsNotCalledNoAnswer) {
  const absl::Status refused = absl::PermissionDeniedError("this needs the role operator");
  node(0).answer = node(1).answer = refused;
  const Said said = Show();
  EXPECT_EQ(said.code, kFailed);
  EXPECT_THAT(said.error,
              MatchesRegex("node n0: asking n0 at [0-9.:]+: this needs the role operator\n"
                           "opic: node n1: asking n1 at [0-9.:]+: this needs the role operator\n"));
}

TEST_F(ControlShowTest, WhenNoNodeAnswersThatIsSaid) {
  Stop(0), Stop(1);
  EXPECT_EQ(Show().code, kUnreachable);
}

TEST_F(ControlShowTest, TheOthersAreShownWhenOneDoesNotAnswer) {
  Stop(1);
  const Said said = Show();
  EXPECT_EQ(said.code, kPartial);
  EXPECT_THAT(said.out, HasSubstr("n0:\n"));
  EXPECT_THAT(said.error, HasSubstr("node n1: "));
}

}  // namespace
}  // namespace opic::cli

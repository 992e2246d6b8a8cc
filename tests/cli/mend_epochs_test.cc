// opic cluster mend-epochs, when nodes do not answer.
#include "cli/mend_epochs.h"

#include <gmock/gmock.h>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

class MendedNode final : public rpc::ScriptedNode {
 public:
  absl::StatusOr<node::MendedEpoch> MendEpoch() override {
    node::MendedEpoch mended;
    mended.before = 7;
    return mended;
  }
};

using MendEpochsTest = ServedCluster<MendedNode, 2>;

TEST_F(MendEpochsTest, WhoDoesNotAnswerIsNamed) {
  Stop(1);
  const Said said = Opic({"cluster", "mend-epochs", "--cluster", file()});
  EXPECT_EQ(said.code, kPartial) << said.error;
  EXPECT_THAT(said.out, HasSubstr("n0: its epoch was 7; "));
  EXPECT_THAT(said.error, HasSubstr("n1: asking n1 at "));
  EXPECT_THAT(said.error, HasSubstr("not reset: n1; run the same command again"));
}

// It ended with 7, as if another node had answered.
TEST_F(MendEpochsTest, WhenNobodyAnswersNothingIsPartial) {
  Stop(0), Stop(1);
  const Said said = Opic({"cluster", "mend-epochs", "--cluster", file(), "--json"});
  EXPECT_EQ(said.code, kUnreachable);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.error, HasSubstr("opic: not reset: "));
  EXPECT_THAT(said.error, HasSubstr(map().nodes()[1].address));
}

}  // namespace
}  // namespace opic::cli

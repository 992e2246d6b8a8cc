// `opic status` as a user calls it.
#include <gmock/gmock.h>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::StartsWith;

class StatusCommand : public ServedCluster<rpc::ScriptedNode, 1> {
 protected:
  std::string Status() {
    const Said said = Opic({"status", "--cluster", file(), "--node", "n0", "--local"});
    EXPECT_EQ(said.code, kOk) << said.error;
    return said.out;
  }
};

// It said "nothing to crawl yet" of a node whose shards had all been moved away.
TEST_F(StatusCommand, ANodeThatWasDrainedIsNoNewOne) {
  node(0).stats_.loop.pages = 0;
  EXPECT_THAT(Status(), StartsWith("running, nothing to crawl yet\n"));
  node(0).stats_.loop.clock = 3.5;
  EXPECT_THAT(Status(),
              StartsWith("running, without pages: those of the crawl are on other nodes\n"));
}

}  // namespace
}  // namespace opic::cli

// `opic watch` as a user calls it.
#include <gmock/gmock.h>

#include <atomic>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// It answers for a cluster, of which a node may be away.
class AnsweringNode final : public rpc::ScriptedNode {
 public:
  absl::StatusOr<TopPages> Top(const node::TopQuery& query) override {
    absl::StatusOr<TopPages> top = ScriptedNode::Top(query);
    if (top.ok() && away) top->missing = {"n1"};
    return top;
  }
  std::atomic<bool> away = false;
};

class WatchCommand : public ServedCluster<AnsweringNode, 1> {
 protected:
  Said Watch(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"watch", "--cluster", file(), "--times", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return Opic(words);
  }
};

// It ended with 0, and nothing said why no page was listed.
TEST_F(WatchCommand, WithoutANodeTheReportIsPartial) {
  node(0).away = true;
  const Said partial = Watch({"--count", "1"});
  EXPECT_EQ(partial.code, kPartial) << partial.error;
  EXPECT_THAT(partial.out, AllOf(HasSubstr("\npartial: node n1 did not answer\n"),
                                 HasSubstr("the ranking is told when all nodes answer")));
  const Said json = Watch({"--count", "1", "--json"});
  EXPECT_EQ(json.code, kPartial);
  EXPECT_THAT(json.out, HasSubstr("\"missing_nodes\":[\"n1\"]"));
  node(0).away = false;
  const Said whole = Watch({"--count", "1"});
  EXPECT_EQ(whole.code, kOk) << whole.error;
  EXPECT_THAT(whole.out, AllOf(HasSubstr("fetched"), Not(HasSubstr("partial"))));
}

}  // namespace
}  // namespace opic::cli

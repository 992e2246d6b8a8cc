#include "rpc/shards_wire.h"

#include <gtest/gtest.h>

#include "opic/v1/control.pb.h"

namespace opic::rpc {
namespace {

using State = node::ShardStatus::State;

TEST(ShardsWireTest, EveryStateTravels) {
  std::vector<node::ShardStatus> sent;
  for (const State state : {State::kResting, State::kLeaving, State::kUnderWay, State::kArriving}) {
    node::ShardStatus shard;
    shard.shard = ShardId{static_cast<uint16_t>(sent.size())};
    shard.node = NodeId{2};
    shard.move = 7;
    shard.state = state;
    shard.pages = 11;
    sent.push_back(shard);
  }
  v1::ShardsResponse wire;
  ToWire(sent, &wire);
  const auto heard = FromWire(wire);
  ASSERT_TRUE(heard.ok()) << heard.status();
  ASSERT_EQ(heard->size(), sent.size());
  for (size_t i = 0; i < sent.size(); ++i) {
    EXPECT_NE(wire.shards(static_cast<int>(i)).state(), v1::SHARD_STATE_UNSPECIFIED);
    EXPECT_EQ((*heard)[i].state, sent[i].state);
    EXPECT_EQ((*heard)[i].shard, sent[i].shard);
    EXPECT_EQ((*heard)[i].pages, 11u);
  }
}

// An earlier release says 0 of a shard that rests; a later one may have more states.
TEST(ShardsWireTest, StatesOfOtherReleases) {
  v1::ShardsResponse wire;
  wire.add_shards();
  EXPECT_EQ(FromWire(wire)->front().state, State::kResting);
  wire.mutable_shards(0)->set_state(static_cast<v1::ShardState>(9));
  EXPECT_TRUE(absl::IsInvalidArgument(FromWire(wire).status()));
}

}  // namespace
}  // namespace opic::rpc

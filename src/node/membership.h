// A node's place in a cluster: the shard map, and which of its nodes this one is.
#pragma once

#include "cluster/exchange.h"
#include "cluster/shard_map.h"

namespace opic::node {

// Thread safety: immutable value.
struct Membership {
  cluster::ShardMap map;
  NodeId self;
  cluster::ExchangeOptions exchange;

  const cluster::MemberNode& own() const { return map.node(self); }
};

}  // namespace opic::node

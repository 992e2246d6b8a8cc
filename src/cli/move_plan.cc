// Implements a part of cli/move_shards.h. Which shards to move (move_shards.h).
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/move_shards.h"

namespace opic::cli {

absl::StatusOr<std::vector<ShardId>> ParseShards(std::string_view words, uint32_t shards) {
  const size_t dash = words.find('-');
  const std::string first(words.substr(0, dash));
  const std::string last(dash == std::string_view::npos ? words : words.substr(dash + 1));
  uint32_t from = 0, to = 0;
  if (!absl::SimpleAtoi(first, &from) || !absl::SimpleAtoi(last, &to) || from > to ||
      to >= shards) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", std::string(words),
                     "\" is not a shard: give a number or a range such as 0-255, below ", shards));
  }
  std::vector<ShardId> all;
  for (uint32_t n = from; n <= to; ++n) all.push_back(ShardAt(n));
  return all;
}

MovePlan EvenPlan(const std::vector<NodeId>& owners, const std::vector<NodeId>& takers) {
  std::map<NodeId, size_t> may_have;
  for (size_t i = 0; i < takers.size(); ++i) {
    may_have[takers[i]] = owners.size() / takers.size();
  }
  // The remainder goes to those that have most already, so that less moves.
  std::map<NodeId, size_t> has;
  for (NodeId owner : owners) ++has[owner];
  std::vector<NodeId> by_load = takers;
  std::stable_sort(by_load.begin(), by_load.end(),
                   [&](NodeId a, NodeId b) { return has[a] > has[b]; });
  for (size_t i = 0; i < owners.size() % takers.size(); ++i) ++may_have[by_load[i]];

  std::vector<ShardId> homeless;
  for (size_t n = 0; n < owners.size(); ++n) {
    const auto room = may_have.find(owners[n]);
    if (room != may_have.end() && room->second > 0) {
      --room->second;
    } else {
      homeless.push_back(ShardAt(n));
    }
  }
  MovePlan plan;
  auto taker = may_have.begin();
  for (ShardId shard : homeless) {
    while (taker->second == 0) ++taker;
    plan[shard] = taker->first;
    --taker->second;
  }
  return plan;
}

}  // namespace opic::cli

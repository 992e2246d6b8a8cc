// opic-modules: cluster ledger importance url cash base
// The input as the file of a shard map. A map that is taken is sound: every shard has an owner
// among its nodes, and the map written from it is taken and says the same.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cluster/shard_map.h"

namespace opic::cluster {
namespace {

void CheckSame(const ShardMap& map) {
  const std::string once = map.ToJson();
  const auto again = ShardMap::Parse(once);
  OPIC_CHECK(again.ok()) << again.status().ToString() << "\n" << once;
  OPIC_CHECK(again->ToJson() == once);
}

void Check(std::string_view json) {
  const auto map = ShardMap::Parse(json);
  if (!map.ok()) return;
  for (const MemberNode& node : map->nodes()) {
    const ledger::Charter charter = map->CharterOf(node.id);
    OPIC_CHECK(charter.Validate().ok());
    OPIC_CHECK(map->Find(node.name) == node.id);
  }
  for (uint32_t s = 0; s < map->CharterOf(NodeId{0}).shards; ++s) {
    OPIC_CHECK(map->OwnerOf(ShardAt(s)).value < map->nodes().size());
  }
  CheckSame(*map);
}

}  // namespace
}  // namespace opic::cluster

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  opic::cluster::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}

#include "url/page_id.h"

#include "base/check.h"
#include "base/encoding.h"

namespace opic::url {
namespace {

// Part of the on-disk format: see the header. Distinct, so that shard and id say nothing of each
// other.
constexpr uint64_t kHostToShardSeed = 0x6f7069632d686f73;  // "opic-hos"
constexpr uint64_t kTextToShardSeed = 0x6f7069632d736861;  // "opic-sha"
constexpr uint64_t kTextToIdSeed = 0x6f7069632d696421;     // "opic-id!"

}  // namespace

UrlHash::UrlHash(ShardBy shard_by, uint32_t shards) : shard_by_(shard_by), shards_(shards) {
  const bool power_of_two = shards != 0 && (shards & (shards - 1)) == 0;
  OPIC_CHECK(power_of_two && shards <= 65536) << "shards: " << shards;
}

PageId UrlHash::PageOf(const Url& url) const {
  const ShardId shard = shard_by_ == ShardBy::kHost
                            ? ShardOfHost(url.host())
                            : ShardOfHash(base::Hash64(url.text(), kTextToShardSeed));
  return PageId(shard, base::Hash64(url.text(), kTextToIdSeed) >> (64 - kPageIdBits));
}

ShardId UrlHash::ShardOfHost(std::string_view host) const {
  return ShardOfHash(base::Hash64(host, kHostToShardSeed));
}

ShardId UrlHash::ShardOfHash(uint64_t hash) const { return ShardAt(hash & (shards_ - 1)); }

}  // namespace opic::url

// h_url (paper section 4.1, DESIGN section 3): which shard a URL belongs to, and its id in the shard.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "url/url.h"

namespace opic::url {

// Chosen at genesis. kHost keeps a site on one shard; kUrl spreads even one giant site over all.
enum class ShardBy : uint8_t { kHost = 0, kUrl = 1 };

// Thread safety: immutable.
class UrlHash {
 public:
  // REQUIRES: `shards` is a power of two, 1 to 65,536.
  UrlHash(ShardBy shard_by, uint32_t shards) : shard_by_(shard_by), shards_(shards) {}
  // shard = hash of host (without port) or of the whole text; id = 45 bits of another hash of the whole text.
  PageId PageOf(const Url& url) const;
  ShardId ShardOfHost(std::string_view host) const;  // the home shard of a host, in either mode

 private:
  ShardBy shard_by_;
  uint32_t shards_;
};

}  // namespace opic::url

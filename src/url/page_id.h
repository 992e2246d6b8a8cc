// h_url (paper section 4.1, docs/design.md section 3): which shard a URL belongs to, and its id in
// the shard.
//
// Part of the on-disk format: XXH3-64 with the three seeds of page_id.cc, one for host to shard,
// one for text to shard, one for text to id. The shard is the low bits of its hash, the id the
// upper 45 bits of its own. Changing any of it orphans every data folder; a golden test holds them
// fast.
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
  UrlHash(ShardBy shard_by, uint32_t shards);
  // shard = hash of host (without port) or of the whole text; id = 45 bits of another hash of the
  // whole text.
  PageId PageOf(const Url& url) const;
  ShardId ShardOfHost(std::string_view host) const;  // the home shard of a host, in either mode

 private:
  ShardId ShardOfHash(uint64_t hash) const;

  ShardBy shard_by_;
  uint32_t shards_;
};

}  // namespace opic::url

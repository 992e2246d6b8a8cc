// Pages added up by their host, registrable domain or group (hosts_file.h).
//
// Memory: some 200 bytes a host of one shard; beside them the best hosts, where all pages of a host
// are in one shard, otherwise as much for every host, or domain, of the node.
//
// Thread safety: confined to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ids.h"

namespace opic::node {

struct Site {
  std::string name;       // of the host, as its URLs have it, or of the domain or group
  double importance = 0;  // of all its pages
  uint64_t pages = 0;     // known
  uint64_t unread = 0;    // never visited
  uint64_t fetched = 0;   // whose last visit had an answer of 2xx
  uint64_t failed = 0;    // whose last visit had none at all
  uint64_t fetches = 0;   // of them all, ever
  // Received with the answers that ended first visits (host_budgets.h); nothing: not known, a node
  // that has pages of it is of an earlier release.
  std::optional<uint64_t> bytes = 0;

  Site& operator+=(const Site& other);  // but for the name
};
// The best first; of equals by name.
bool IsBetter(const Site& a, const Site& b);

enum class SiteKind : uint8_t { kHost, kDomain, kGroup };

class SiteSums {
 public:
  static constexpr size_t kAtOnceMax = 500'000;

  // The group of a host; empty: it is in none, and is left out.
  using GroupOf = std::function<std::string(const std::string& host)>;

  // The `count` best are wanted. `hosts_keep_shards`: all pages of a host are in one shard.
  // `at_once_max`: hosts, or domains, that may be held. `group_of` is asked when groups are wanted;
  // null: there are none.
  SiteSums(SiteKind kind, bool hosts_keep_shards, size_t count, size_t at_once_max = kAtOnceMax,
           GroupOf group_of = nullptr)
      : group_of_(std::move(group_of)),
        kind_(kind),
        hosts_keep_shards_(hosts_keep_shards),
        count_(count),
        at_once_max_(at_once_max) {}

  // Adds one page, or what some of one host add up to; its name is not looked at. OutOfRange: there
  // are more hosts, or domains, than may be held at once. REQUIRES: shards come one after the
  // other.
  absl::Status Add(ShardId shard, std::string_view host, const Site& page);
  // The best first.
  absl::StatusOr<std::vector<Site>> Take();
  uint64_t known() const { return known_; }  // after Take: different hosts, domains, or groups

 private:
  using Sums = absl::flat_hash_map<std::string, Site>;  // without names
  absl::Status EndShard();
  absl::Status AddTo(Sums& sums, std::string_view name, const Site& site) const;
  void Offer(const std::string& name, Site site);

  const GroupOf group_of_;
  const SiteKind kind_;
  const bool hosts_keep_shards_;
  const size_t count_, at_once_max_;
  ShardId shard_{0};
  Sums hosts_;              // of this shard
  Sums all_;                // of those before, where they can come again
  std::vector<Site> best_;  // a heap, the worst first
  uint64_t known_ = 0;
};

}  // namespace opic::node

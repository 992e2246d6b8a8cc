// What a watcher of the ranking has been told, and what has changed since: the best pages, and
// given URLs, whatever their rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "node/answers.h"

namespace opic::rpc {

// What is watched.
struct WatchQuery {
  size_t count = 10;                         // of the best pages
  std::vector<std::string> urls;             // as typed
  absl::Duration period = absl::Seconds(5);  // between two looks, at least
  double least_change = 0.01;  // fraction by which an importance must change to be reported
};
inline constexpr size_t kWatchedMax = 500;  // pages and URLs together: a reply is 4 MB at most

// A page that is, or was, one of the best.
struct RankChange {
  uint32_t rank = 0;    // from 1; 0: it is no longer one of them
  uint32_t before = 0;  // 0: it was not one of them
  node::PageImportance page;
};

struct WatchChanges {
  bool complete = false;                    // all that is watched, and not only what has changed
  std::vector<RankChange> top;              // by rank; those that left at the end
  std::vector<node::PageImportance> pages;  // of the URLs, in their order
  uint64_t known = 0;                       // pages known
  double error_bound = 0;                   // as in TopPages
  // Nodes of a cluster that did not answer: then ranks, and their pages, stay as they were told.
  std::vector<std::string> missing;
};

// Thread safety: confined to one thread at a time.
class RankingWatch {
 public:
  explicit RankingWatch(WatchQuery query) : query_(std::move(query)) {}
  const WatchQuery& query() const { return query_; }

  // `top` has the `count` best pages or more, `pages` one for each URL. Nothing: nothing has
  // changed. The first is complete.
  std::optional<WatchChanges> Look(const node::Answers::TopPages& top,
                                   absl::Span<const node::PageImportance> pages);

 private:
  struct Told {
    uint32_t rank = 0;
    node::PageImportance page;
  };
  std::vector<RankChange> LookAtTop(absl::Span<const node::PageImportance> best);
  bool Differ(const node::PageImportance& told, const node::PageImportance& now) const;

  const WatchQuery query_;
  bool begun_ = false;
  absl::flat_hash_map<std::string, Told> top_;              // by URL
  std::vector<std::optional<node::PageImportance>> pages_;  // by URL, as told
  std::vector<std::string> missing_;
};

}  // namespace opic::rpc

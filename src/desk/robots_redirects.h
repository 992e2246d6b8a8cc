// RobotsRedirects: a robots.txt that lies on another host than its page (RFC 9309 section 2.3.1.2)
// is fetched in a slot of that host. So it is offered to the scheduler like a page, first of all,
// and comes back as an order.
//
// Redirects are no pages: they have the last shard number, which a cluster has only if it has all
// 65,536. There an order is of a redirect if one waits for it, or if no page has its number.
#pragma once

#include <cstddef>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/ids.h"
#include "schedule/messages.h"
#include "url/url.h"

namespace opic::desk {

// What waits for its order.
//
// Thread safety: confined to the lock of its owner.
class RobotsRedirects {
 public:
  struct RobotsRedirect {
    url::Url page;    // wants to know
    url::Url robots;  // to be asked for
  };

  // Whether an order may be of such a fetch, of this session or of one before.
  static bool IsCrossHost(PageId page);
  // The same robots.txt has the same number.
  static PageId IdOf(const url::Url& robots);

  // False: it waits already.
  bool Add(RobotsRedirect redirect);
  // Nothing: none waits for this order, or not any more.
  std::optional<RobotsRedirect> Take(PageId id);

  // The scheduler has forgotten all of them.
  void Clear() { waiting_.clear(); }
  // How many wait of which this is so.
  template <typename Is>
  size_t Count(const Is& is) const {
    size_t count = 0;
    for (const auto& [id, redirect] : waiting_) count += is(redirect) ? 1 : 0;
    return count;
  }

  // What tells the scheduler about it.
  static schedule::Offers OfferOf(const url::Url& robots);

 private:
  absl::flat_hash_map<PageId, RobotsRedirect> waiting_;
};

}  // namespace opic::desk

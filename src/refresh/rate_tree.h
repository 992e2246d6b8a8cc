// The change rates that a node has seen, as priors of its pages: those of a shard's pages of one
// category (a host, and the few hosts hashed to the same shard), within those of the category,
// within those of all pages. And whether the dates of a shard's pages have proved true.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <array>
#include <map>
#include <utility>

#include "base/ids.h"
#include "refresh/category.h"
#include "refresh/date_trust.h"
#include "refresh/rate_group.h"

namespace opic::refresh {

class RateTree {
 public:
  // The prior of a page about which nothing is known.
  RateDistribution Prior(ShardId shard, Category category) const;
  // As RateGroup::Observe, in all groups that the page is in.
  void Observe(ShardId shard, Category category, const RateDistribution& rate, double seconds,
               bool new_page);
  // As RateGroup::Count, likewise.
  void Count(ShardId shard, Category category, const RateDistribution& rate, double seconds);
  DateTrust& dates(ShardId shard) { return dates_[shard]; }
  // The rates are to be observed again, from the rows; what the dates have shown stays.
  void ForgetRates();

 private:
  RateDistribution unknown_ = UnknownRate();
  std::map<std::pair<ShardId, Category>, RateGroup> groups_;
  std::array<RateGroup, kCategories> categories_;
  RateGroup all_;
  std::map<ShardId, DateTrust> dates_;
};

}  // namespace opic::refresh

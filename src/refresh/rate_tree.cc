#include "refresh/rate_tree.h"

namespace opic::refresh {

RateDistribution RateTree::Prior(ShardId shard, Category category) const {
  const RateDistribution of_category =
      categories_[static_cast<size_t>(category)].Prior(all_.Prior(unknown_));
  const auto group = groups_.find({shard, category});
  return group == groups_.end() ? of_category : group->second.Prior(of_category);
}

void RateTree::Observe(ShardId shard, Category category, const RateDistribution& rate,
                       double seconds, bool new_page) {
  groups_[{shard, category}].Observe(rate, seconds, new_page);
  categories_[static_cast<size_t>(category)].Observe(rate, seconds, new_page);
  all_.Observe(rate, seconds, new_page);
}

void RateTree::Count(ShardId shard, Category category, const RateDistribution& rate,
                     double seconds) {
  groups_[{shard, category}].Count(rate, seconds);
  categories_[static_cast<size_t>(category)].Count(rate, seconds);
  all_.Count(rate, seconds);
}

void RateTree::ForgetRates() {
  groups_.clear();
  categories_ = {};
  all_ = {};
}

}  // namespace opic::refresh

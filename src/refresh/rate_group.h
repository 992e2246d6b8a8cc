// How change rates lie in a group of pages, a host's or a category's: the prior of the group's
// pages (empirical Bayes).
//
// A page's own rate is known only by its posterior; posteriors are averaged as visits come in (the
// EM algorithm on-line: Cappe and Moulines, "On-line expectation-maximization algorithm for latent
// data models", 2009). Where all of them agree, that is the most likely distribution (Laird,
// "Nonparametric maximum likelihood estimation of a mixing distribution", 1978).
//
// A page counts for the time that its visit tells of, not once a visit: otherwise those that are
// visited most would stand for all.
//
// A group with few pages takes part of its parent's (host, category, all), in turn.
//
// Thread safety: confined to the owner thread.
#pragma once

#include "refresh/rate_distribution.h"

namespace opic::refresh {

class RateGroup {
 public:
  // A visit of a page of this group: `rate` is the page's posterior after it, `seconds` the time
  // since the page's visit before. A first visit (`seconds` is 0) tells nothing and counts nothing,
  // nor does a time that is no number. `new_page`: no visit of the page with `seconds` above 0 came
  // before; the page is counted now. So pages that were read once do not vouch for what others
  // showed.
  void Observe(const RateDistribution& rate, double seconds, bool new_page);

  // A page that was visited again, by its row: all its visits at once, as those that Observe had
  // before. Pages are counted in the order of their keys, so none gives way to a later one.
  void Count(const RateDistribution& rate, double seconds);

  // The prior of a page of this group; `parent` is the prior of the next larger group.
  RateDistribution Prior(const RateDistribution& parent) const;

  double pages() const { return pages_; }  // that were visited again

 private:
  void Add(const RateDistribution& rate, double seconds);

  double pages_ = 0;
  double seconds_ = 0;  // weight of the mean; fades
  RateDistribution mean_;
};

}  // namespace opic::refresh

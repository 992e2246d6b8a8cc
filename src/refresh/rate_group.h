// How change rates lie in a group of pages, a host's or a category's: the prior of the group's
// pages (empirical Bayes).
//
// Rates of a group are taken to be Gamma distributed. Its two parameters follow from the mean of
// the rate and of its logarithm over the pages. A page's own are known only by its posterior; their
// expectations are averaged as visits come in (the EM algorithm on-line: Cappe and Moulines,
// "On-line expectation-maximization algorithm for latent data models", 2009).
//
// A page counts for the time that its visit tells of, not once a visit: otherwise those that are
// visited most would stand for all.
//
// A group with few pages takes part of its parent's (host, category, all), in turn.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "refresh/rate_distribution.h"

namespace opic::refresh {

class RateGroup {
 public:
  static constexpr size_t kEncodedBytes = 32;

  // A visit of a page of this group: `rate` is the page's posterior after it, `seconds` the time
  // since the page's visit before. A first visit (`seconds` is 0) tells nothing and counts nothing,
  // nor do values that are no numbers. `new_page`: no visit of the page with `seconds` above 0 came
  // before; the page is counted now. So pages that were read once do not vouch for what others
  // showed.
  void Observe(const RateDistribution& rate, double seconds, bool new_page);

  // The prior of a page of this group; `parent` is the prior of the next larger group.
  RateDistribution Prior(const RateDistribution& parent = kUnknownRate) const;

  double pages() const { return pages_; }  // that were visited again

  // Four binary64, little-endian: pages, seconds, mean, mean of the logarithm.
  void Encode(std::string& out) const;
  // Nothing: damaged, that is what no visits give.
  static std::optional<RateGroup> Decode(std::string_view& bytes);

  friend bool operator==(const RateGroup&, const RateGroup&) = default;

 private:
  bool IsPossible() const;

  double pages_ = 0;
  double seconds_ = 0;  // weight of the means; fades
  double mean_ = 0, mean_of_logarithm_ = 0;
};

}  // namespace opic::refresh

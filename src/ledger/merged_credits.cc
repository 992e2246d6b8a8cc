#include "ledger/merged_credits.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace opic::ledger {
namespace {

using page_table::Credit;
using CreditIt = std::vector<Credit>::iterator;

// A page that is paid is looked for among so many others, one after the other.
constexpr ptrdiff_t kLookedThrough = 16;

// Sorts those between `begin` and `end`, sums those to the same page, and moves them to `to`, which
// is `begin` or before it. Where they end now. A page that all pages of a site link to is paid by
// every visit: what is paid to it is summed before anything is sorted.
CreditIt MergeFew(CreditIt begin, CreditIt end, CreditIt to) {
  const CreditIt first = to;
  for (; begin != end && to - first <= kLookedThrough; ++begin) {
    const CreditIt same =
        std::find_if(first, to, [&](const Credit& credit) { return credit.page == begin->page; });
    if (same != to) {
      same->amount += begin->amount;
    } else {
      *to++ = *begin;
    }
  }
  const bool all_summed = begin == end;
  for (; begin != end; ++begin) *to++ = *begin;
  if (to - first > 1)
    std::sort(first, to, [](const Credit& a, const Credit& b) { return a.page < b.page; });
  if (all_summed) return to;
  CreditIt last = first;
  for (CreditIt next = first + 1; next != to; ++next) {
    if (next->page == last->page) {
      last->amount += next->amount;
    } else {
      *++last = *next;
    }
  }
  return last + 1;
}

}  // namespace

// Pages are hashes, alike over the shards that are paid: so each gets about its place by a look at
// its number, and little is left to compare.
std::vector<Credit> MergedCredits(const std::vector<Credit>& credits) {
  if (credits.size() < 2) return credits;
  const auto place = [](const Credit& credit) {  // without the bits that no id has
    return uint64_t{credit.page.shard().value} << kPageIdBits | credit.page.id();
  };
  uint64_t first = place(credits.front()), last = first;
  for (const Credit& credit : credits) {
    first = std::min(first, place(credit));
    last = std::max(last, place(credit));
  }
  const int shift = std::max(0, static_cast<int>(std::bit_width(last - first)) -
                                    static_cast<int>(std::bit_width(credits.size())));
  const size_t buckets = ((last - first) >> shift) + 1;
  std::vector<uint32_t> ends(buckets + 1);  // at first where each begins
  for (const Credit& credit : credits) ++ends[((place(credit) - first) >> shift) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Credit> merged(credits.size());
  for (const Credit& credit : credits) merged[ends[(place(credit) - first) >> shift]++] = credit;
  CreditIt to = merged.begin();
  ptrdiff_t begin = 0;
  for (size_t bucket = 0; bucket < buckets; begin = ends[bucket++])
    to = MergeFew(merged.begin() + begin, merged.begin() + ends[bucket], to);
  merged.erase(to, merged.end());
  return merged;
}

}  // namespace opic::ledger

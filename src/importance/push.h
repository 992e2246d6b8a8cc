// Ledger push: importance as the exact solution of an equation that a ledger keeps at every moment.
//
// Read a page's cash C as the residual of an equation for the histories H. With a base b for every
// page, k_i links of page i as last read and Q_ji = (1 - epsilon) / k_i for j among them:
//
//   H + C = b + Q H                                                                     (I)
//
// A page is born with C = b and H = 0. A visit adds its cash to its history and pays it on, so both
// sides move alike; they do for any other amount, too (relaxation.h). A page read again with other
// links takes back what it ever paid along the old ones and pays it along the new ones. Cash may
// therefore be below zero, a debt. When all cash is zero, H / sum(H) is the importance of the links
// known now, whatever happened before: nothing is forgotten by a window, everything is repaired.
// (D. Hong's D-iteration; Zhang, Lofgren and Goel, "Approximate Personalized PageRank on Dynamic
// Graphs", 2016.)
//
// A page has paid each of its k links PaidToEach(H, k) since its birth; a visit pays the difference
// to what that was before, never a share of its cash. So (I) holds to the unit where cells are
// exact, and rounding never adds up.
//
// Pure functions. Amounts in units of cash.
#pragma once

#include <cstdint>
#include <string_view>

#include "cash/amount.h"
#include "cash/split.h"

namespace opic::importance {

// How importance is computed of cash; chosen when a crawl begins.
enum class Method : uint8_t {
  kWindow = 0,  // the paper's: a window of the clock (window.h)
  kPush = 1,    // ledger push
};
std::string_view Name(Method method);  // "window", "push"

// The base that a page is born with by default. G never exceeds the sum of bases / epsilon, so
// 10^11 pages fit into a history of 63 bits.
inline constexpr cash::Amount kBase{10'000'000};

// What a page that recorded `history` has paid to each of its `links` links since its birth:
// floor((1 - epsilon) * history / links), towards minus infinity; 0 without links.
// REQUIRES: the magnitude of `history` is below 2^63.
cash::Amount PaidToEach(cash::Sum history, uint64_t links, cash::SmallEdge epsilon);

// What there is of a crawl, over all nodes. A page is *read* once it needs no fetch.
struct PushTotals {
  uint64_t pages = 0;         // known: n
  uint64_t unread_pages = 0;  // u
  uint64_t reread = 0;        // not read, but visited before (to be fetched again)
  cash::Sum history = 0;      // of all pages
  cash::Sum unread = 0;       // cash on pages that are not read
  cash::Sum unread_debt = 0;  // of those whose cash is below zero, without the sign
  cash::Sum read = 0;         // cash on read pages: R
  // How far the cash of each read page is from R / n, added up, or more; and cash without its sign
  // that is under way between nodes.
  cash::Sum residual = 0;
  // What cells have rounded, without signs, in expectation at most (page_table/roundings.h).
  cash::Sum rounded = 0;
};

// The histories' sum, with what unread pages would have recorded: G. Estimates are shares of it.
cash::Sum PushFlow(const PushTotals& totals);

// The importance of a page: max(epsilon / n, (H + C - R / n) / G), all bases being equal. Sums to 1
// over the n known pages before the max. 0 while nothing is known.
double PushEstimate(cash::Sum history, cash::Amount cash, const PushTotals& totals,
                    cash::SmallEdge epsilon);

// How far the estimates can be off by what cells have rounded, in sum (L1) and in expectation: each
// unit moves histories by 1 / epsilon at most. As share of G.
double PushRoundingError(const PushTotals& totals, cash::SmallEdge epsilon);

// No less than the L1 distance of the estimates to the exact importance of the links known now, but
// for what cells have rounded: with u unread pages of n
//   (1 - epsilon) / epsilon * (sum over read pages |C - R / n| + |R| u / n) / G
// at most 2. Pages to be fetched again have paid along their links, so the magnitudes of the cash
// on unread pages count too while there are any.
double PushErrorBound(const PushTotals& totals, cash::SmallEdge epsilon);
// The part of it that settling lowers: without what pages to be fetched again add.
double PushSettledError(const PushTotals& totals, cash::SmallEdge epsilon);

// When no read page has more cash than this, in either sense, the bound is at most `error`.
cash::Amount PushFloor(const PushTotals& totals, cash::SmallEdge epsilon, double error);

}  // namespace opic::importance

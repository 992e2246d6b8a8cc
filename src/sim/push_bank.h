// Ledger push: cash as the signed residual of an equation that holds for every page, to the unit,
// between calls (with exact cells and no credit on its way):
//
//   H + C = b + (sum of P(H_i, k_i) over the pages i that link to the page) (I) P(H, k) = floor((1
//   - epsilon) * H / k), and nothing for k = 0
//
// b is the page's base, H what it recorded, C its cash (a debt when negative), k_i the number of
// links of page i as last read. What page i has paid to each of its targets since its birth is
// always P(H_i, k_i): visits pay differences of P, never shares of the cash, so that nothing is
// lost to rounding, and new links correct what was ever paid along the old ones. When no page has
// cash, H is the importance that the known links give.
//
// The second law, whatever the cells: sum of C + taken + rounded + reserve = supply.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/rng.h"
#include "cash/split.h"
#include "sim/indexed_heap.h"
#include "sim/push_cell.h"

namespace opic::sim {

// Sums of signed amounts. One page's cash and history fit 64 bits: a history is at most the sum of
// all bases / epsilon.
using Money = __int128;

// Takes the credits of visits in place of the pages, to deliver them late, twice or never.
class CreditPost {
 public:
  virtual ~CreditPost() = default;
  virtual void Take(uint32_t from, uint32_t to, int64_t amount) = 0;
};

struct PushOptions {
  cash::SmallEdge epsilon;
  int64_t base = 10'000'000;  // b of every page
  int64_t supply = 1'000'000'000'000'000'000;
  PushCell cells;
  uint64_t seed = 1;  // of the draws of unbiased rounding
};

enum class PageState : uint8_t { kUnknown, kUnread, kRead };

// Pages are numbers of a graph that is not known yet: each begins unknown.
// Thread safety: confined to the owner thread.
class PushBank {
 public:
  // `pages` bounds the page numbers.
  PushBank(uint32_t pages, const PushOptions& options);

  // The page is met for the first time: H = 0, C = b. Nothing if it is known.
  void Birth(uint32_t page);

  // The page's links become known before anything moved: the start of a run over a graph that is
  // known already. REQUIRES: the page was met, and never visited.
  void Learn(uint32_t page, absl::Span<const uint32_t> links);

  // Reads the page, or settles it when `links` are those of the last time. `links` ascend, without
  // the page itself; those not known yet are born. A confirmed redirection is a visit with the
  // target alone. REQUIRES: the page is known.
  void Visit(uint32_t page, absl::Span<const uint32_t> links) { Visit(page, links, 0); }
  // With `beyond` the page records and pays so much more than its cash, and owes it from then on.
  void Settle(uint32_t page, int64_t beyond = 0) { Visit(page, links_[page], beyond); }
  // REQUIRES: the page is known.
  void SetBase(uint32_t page, int64_t base);

  // The cash that (I) asks of each page, from the rows alone (H, links, b); 0 of unknown pages.
  std::vector<int64_t> Restated() const;
  // Puts it in place of the cash there is: afterwards both laws hold again, whatever was lost.
  void Restate();

  // The same by and by, while visits go on: a second cell D a page. A page once restated sends its
  // later credits to both cells of a target, one not yet restated to C alone; when all are done D
  // takes C's place. REQUIRES: no post.
  void BeginRestating();
  // The next `pages` pages of the table; true: that was the last one, D is in place.
  bool RestateNext(uint32_t pages);
  bool restating() const { return !second_.empty(); }

  // A lost disk: the page is born again, unread. Both laws are broken until the next restatement.
  void LosePage(uint32_t page);
  // From now on visits give their credits to `post`, which must outlive the bank; null: to the
  // pages.
  void set_post(CreditPost* post) { post_ = post; }
  // What a post delivers. REQUIRES: the page is known.
  void Credit(uint32_t page, int64_t amount);

  uint32_t pages() const { return static_cast<uint32_t>(cash_.size()); }
  PageState StateOf(uint32_t page) const { return state_[page]; }
  int64_t CashOf(uint32_t page) const { return cash_[page]; }
  int64_t HistoryOf(uint32_t page) const { return history_[page]; }
  int64_t BaseOf(uint32_t page) const { return base_[page]; }
  absl::Span<const uint32_t> LinksOf(uint32_t page) const { return links_[page]; }

  // The unread page with most cash. REQUIRES: there is one.
  uint32_t RichestUnread() const { return unread_.Top(); }
  uint64_t unread_pages() const { return unread_.size(); }
  uint64_t read_pages() const { return read_pages_; }

  Money base_sum() const { return base_sum_; }                 // sum of b
  Money read_cash() const { return read_cash_; }               // R, sum of C over read pages
  Money read_cash_size() const { return read_size_; }          // sum of |C| over read pages
  Money flow() const { return read_history_ + unread_cash_; }  // G
  Money taken() const { return taken_; }                       // L, by the virtual page
  Money rounded() const { return rounded_; }                   // E, by the rounding of cells
  Money reserve() const { return reserve_; }                   // not yet given to pages as base
  // L again, from the rows: sum of H_i - k_i * P(H_i, k_i).
  Money TakenByRows() const;
  uint64_t visits() const { return visits_; }
  uint64_t credits() const { return credits_; }  // paid by visits

  // x^ of each known page, 0 of unknown ones: max(epsilon * beta, (H + C - R * beta) / G) with
  // beta = b / sum of b. Known pages sum to 1 but for what the maximum adds.
  std::vector<double> Estimate() const;
  // Without the maximum: sums to 1 at any moment. A page in debt may be below zero.
  std::vector<double> EstimateUnbounded() const;
  // No less than the L1 distance of either estimate from the exact importance of the known links,
  // as far as (I) holds: (1 - epsilon) / epsilon *
  // (sum of |C - R * beta| over read pages + |R| * (part of the base on unread pages)) / G.
  // Infinite before anything was recorded. What rounding cells and lost credits do to (I) it cannot
  // see.
  double Bound() const;

  // What a page with history `history` and `links` links has paid to each of them.
  int64_t Paid(int64_t history, size_t links) const;

 private:
  void Visit(uint32_t page, absl::Span<const uint32_t> links, int64_t beyond);
  void Pay(uint32_t from, uint32_t to, int64_t amount);
  void SetCash(uint32_t page, int64_t cash);
  void MarkRead(uint32_t page);
  int64_t CellOf(int64_t amount);
  double Beta(uint32_t page) const;

  const PushOptions options_;
  base::Rng draws_;
  CreditPost* post_ = nullptr;
  std::vector<PageState> state_;
  std::vector<int64_t> cash_, history_, base_;
  std::vector<std::vector<uint32_t>> links_;  // as last read
  IndexedHeap<int64_t> unread_;               // by cash

  Money base_sum_ = 0, unread_base_ = 0, read_cash_ = 0, read_size_ = 0, unread_cash_ = 0;
  Money read_history_ = 0;
  Money taken_ = 0, rounded_ = 0, reserve_;
  uint64_t read_pages_ = 0, visits_ = 0, credits_ = 0;

  std::vector<int64_t> second_;    // D; empty when no restatement is under way
  std::vector<uint8_t> restated_;  // D has what this page paid
  uint32_t restate_at_ = 0;
};

}  // namespace opic::sim

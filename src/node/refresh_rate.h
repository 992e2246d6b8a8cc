// How many pages a second a node reads again: its share of the node's own rate (RefreshOptions),
// what discovery lends it of the rest, and what other nodes lend it of theirs or borrow
// (schedule/refresh_demand.h). Pages of a fixed period have theirs first, the plan of all others
// (refresh/frequencies.h) has what is left.
//
// Rates are in pages a second. Time comes in as an argument, by the wall clock.
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "node/refresh_options.h"
#include "refresh/frequencies.h"
#include "schedule/refresh_demand.h"

namespace opic::node {

class RefreshRate {
 public:
  // What there is to be read again, and beside it, now.
  struct Waiting {
    bool all_read = false;   // nothing is left to discover
    bool due = false;        // pages are, and were not offered yet
    double rate_wanted = 0;  // that the plan has for pages that are offered and were not read yet
  };

  RefreshRate(const RefreshOptions& options, absl::Time now);
  // Another rate, or another share of it.
  void Tune(const RefreshOptions& options);

  // What the plan of pages without a fixed period may ask for. Greater than what is fetched of it
  // where hosts do not let all of it be fetched.
  double planned() const;
  // All of it; and what of that is other nodes', negative: what they have of this one's.
  double bandwidth() const;
  double borrowed() const { return borrowed_; }
  // What pages of a fixed period take.
  void SetFixed(double rate) { fixed_ = rate; }
  double fixed() const { return fixed_; }
  // Of the node's own rate, above 0: how much of it holds for all its fetches.
  double factor(bool all_read) const { return rate(all_read) / own_rate_; }
  // The share of the rate that is for pages to be read again, while there are unread pages.
  double share(bool all_read) const;

  // Before each Step. Of the node's fetcher: all its requests until now, and whether it makes as
  // many at once as it may.
  void NoteFetcher(uint64_t requests, bool all_in_use);
  // A page was read, for the first time or again.
  void NoteReading() { ++fetched_; }
  // Once a turn. `plan` has planned() for its bandwidth, or had it before SetFixed.
  void Step(const Waiting& waiting, const refresh::Frequencies& plan, absl::Time now);
  // One more of the pages that are due may be offered now.
  bool TakeTurn(bool all_read);

  // Once in a while in a cluster, with what the others say that they would read. Returns what this
  // node would; nothing (rate 0) if it `can_share` nothing now.
  const schedule::RefreshDemand& ShareWith(absl::Span<const schedule::RefreshDemand> others,
                                           bool can_share, const refresh::Frequencies& plan);
  // Of the plans of all nodes: a page that is new to a plan has its frequency by it. 0: none holds.
  double shared_multiplier() const { return shared_multiplier_; }

 private:
  double discovery_part() const { return own_rate_ * (1 - own_share_); }
  double own_bandwidth() const { return own_rate_ * own_share_ + lent_; }
  double rate(bool all_read) const;  // of all fetches
  void MeasureUse(const Waiting& waiting, const refresh::Frequencies& plan, absl::Time now);
  void CountTurns(const Waiting& waiting, absl::Time now);
  double LentAfter(const Waiting& waiting, double spare) const;
  double BorneAfter(const Waiting& waiting, const refresh::Frequencies& plan, double spare,
                    absl::Duration measured);
  schedule::RefreshDemand DemandAround(int exponent, const refresh::Frequencies& plan) const;

  double own_rate_, own_share_;
  double lent_ = 0;      // of discovery's part
  double borrowed_ = 0;  // of other nodes' rates; negative: lent to them
  double fixed_ = 0;
  double borne_ = 1;  // of what is planned, hosts let this part be fetched: as much more is planned

  absl::Time measured_;   // the use of the rate, until then
  uint64_t fetched_ = 0;  // since then
  // The fetcher's requests, and those until then; calls of NoteFetcher since, and those that found
  // it at its most.
  uint64_t requests_ = 0, requests_before_ = 0, turns_ = 0, turns_in_use_ = 0;
  double unused_ = 0;  // of the rate, smoothed

  // Pages that are due and may be offered now, while there are pages to discover.
  double turns_of_due_ = 1;
  absl::Time turns_counted_ = absl::InfiniteFuture();  // until then
  bool waited_for_turn_ = false;                       // some page that is due has, since measured_

  double shared_multiplier_ = 0;
  uint64_t pages_shared_ = 0;       // pages of the plan when demand_ was told
  schedule::RefreshDemand demand_;  // as it was told to the others last
};

}  // namespace opic::node

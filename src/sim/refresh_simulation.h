// A repository of pages that change on the web and are refreshed under a bandwidth (thesis chapter
// 3): what the copies are out of date by, with frequencies by a rule, and rates known or learnt.
//
// Importances w and change rates are log-normal and independent, of deviation 1.5 each. A *cycle*
// is the time in which the bandwidth fetches as many pages as there are. The median page changes
// once a cycle. A page is fetched no more often than 10 times a cycle, and no less than once in 10
// cycles. Obsolescence is (3.1), integrated exactly between fetches; what a rate contributes while
// it changes is the number of changes expected since the fetch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "base/rng.h"
#include "refresh/change_history.h"
#include "refresh/frequencies.h"
#include "refresh/memory_choice.h"
#include "refresh/rate_group.h"
#include "sim/exact_posterior.h"
#include "sim/indexed_heap.h"

namespace opic::sim {

enum class RefreshRule : uint8_t {
  kUniform,       // all pages alike
  kByRate,        // f in proportion to the change rate
  kByImportance,  // f in proportion to w
  kOptimal,       // (3.7)
};

enum class RateKnowledge : uint8_t {
  kKnown,
  kExistence,  // learnt from whether pages had changed
  kDates,      // learnt from the dates of their last changes
  kBoth,       // every other page has dates
};

struct RefreshScenario {
  RefreshRule rule = RefreshRule::kOptimal;
  RateKnowledge knowledge = RateKnowledge::kKnown;
  // Learnt by the exact posterior (exact_posterior.h), and not as opic does.
  bool exact = false;
  // Above 0, rates wander: ln(rate) is an Ornstein-Uhlenbeck process that keeps its distribution
  // and forgets in so many cycles.
  double drift_cycles = 0;
  refresh::ChangeMemory memory = {};
  // The memory is learnt on the way (refresh/memory_choice.h), and `memory` is not used.
  bool memory_learnt = false;
};

// Figures for the time since the ones before.
struct RefreshFigures {
  double cost = 0;       // mean obsolescence of the repository, (3.5) as it was
  double planned = 0;    // (3.5) of the present frequencies, with the true rates
  double optimum = 0;    // the least (3.5) under bandwidth, floor and cap, with the true rates
  double fresh = 0;      // share of the importance whose copy had not changed
  double bandwidth = 0;  // share of the bandwidth that was used
};

// Thread safety: confined to the owner thread.
class RefreshSimulation {
 public:
  // With rates known, pages begin somewhere in their periods. With rates to be learnt, all have
  // been read once in the cycle before.
  RefreshSimulation(uint32_t pages, uint64_t seed, const RefreshScenario& scenario);
  RefreshFigures Run(double cycles);
  // The memory that holds where it is learnt.
  const refresh::MemoryChoice& memory() const { return memory_; }

 private:
  struct Mark {
    double time = 0, distance = 0;  // seconds, changes expected since `fetched`
  };
  struct Page {
    double importance = 0, rate = 0;  // changes a second
    double fetched = 0;               // seconds
    double mark = 0;                  // until when costs are counted
    double distance = 0;              // changes expected between `fetched` and `mark`
    std::vector<Mark> marks;          // at the steps of the drift since `fetched`
    absl::Time due;
    refresh::RefreshWeight weight;
    refresh::ChangeHistory history;
    bool counted = false;  // in the group: fetched again
  };

  refresh::RefreshWeight WeightOf(const Page& page, double rate) const;
  void Begin(Page& page);
  void CountUntil(Page& page, double now);
  void Fetch(uint32_t number, double now);
  void Learn(Page& page, uint32_t number, double now, bool first);
  // Of the page's last change, so many expected changes before a fetch at `now`: seconds.
  double TimeOfLast(const Page& page, double now, double back, bool first) const;
  // What is thought of its rate after a fetch that saw this.
  double RateAfter(Page& page, uint32_t number, const refresh::ChangeObservation& seen);
  double ExactRateAfter(uint32_t number, const refresh::ChangeObservation& seen);
  void Drift(double now);
  double PlannedCost() const;
  double OptimalCost() const;

  const RefreshScenario scenario_;
  base::Rng rng_;
  std::vector<Page> pages_;
  refresh::Frequencies frequencies_;
  const refresh::RateDistribution unknown_ = refresh::UnknownRate();
  refresh::RateGroup group_;
  refresh::MemoryChoice memory_;
  std::optional<ExactPosterior> posterior_;  // where it is exact
  IndexedHeap<double> due_;                  // minus the due times, in seconds
  double importance_ = 0;                    // of all pages
  uint64_t slot_ = 0;                        // time in fetches that the bandwidth allows
  double cost_ = 0, fresh_ = 0;
  uint64_t fetches_ = 0;
};

// A number of the standard normal distribution.
double NormalNumber(base::Rng& rng);

}  // namespace opic::sim

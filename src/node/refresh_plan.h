// When each page of this node is read again (thesis chapters 3 and 4). Every visit of a page shows
// whether it has changed; from that and its importance follows how often it is worth a fetch, and
// from that when it is due. What is known of a page stands in its row (refresh::PagePlan); the
// counts by weight, the rates of the groups and the calendar are made from the rows at every start,
// in steps, while the crawl goes on.
//
// A page without observations takes the change rate of its like (refresh/rate_tree.h). Its category
// has a factor on the importance of its pages, which an operator may change at any moment. So the
// due time in a row is as if that factor were 1: divided by the factor's effect on the frequency
// (Frequencies::scale), the time since the fetch gives the due time that holds, at every look.
//
// Thread safety: confined to the ledger's thread. Time comes in as an argument, by the wall clock.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/ledger.h"
#include "node/calendar_file.h"
#include "node/due_times.h"
#include "node/refresh_options.h"
#include "refresh/calendar.h"
#include "refresh/frequencies.h"
#include "refresh/page_plan.h"
#include "refresh/rate_tree.h"
#include "schedule/strategy.h"
#include "store/store.h"

namespace opic::node {

class RefreshPlan {
 public:
  // The calendar lies on the disk of `folder`. `ledger` and `store` must outlive the plan.
  static absl::StatusOr<std::unique_ptr<RefreshPlan>> Open(const RefreshOptions& options,
                                                           const ledger::Ledger& ledger,
                                                           store::Store& store,
                                                           const std::string& folder,
                                                           absl::Time now);

  // What an operator changes; the same again changes nothing. Another factor has all rows counted
  // again. REQUIRES: in the bounds of RefreshOptions.
  absl::Status Tune(const RefreshTuning& tuning, absl::Time now);

  // Once a turn, before Plan: counts some rows where that is to be done, and looks which pages are
  // due. When shards have come or gone, all rows are counted again.
  absl::Status Step(absl::Time now);
  // Fills in Visit::plan. To be called before the ledger records these visits, and after the
  // commit of all groups before.
  absl::Status Plan(absl::Span<ledger::Visit> visits, absl::Time now);

  // Pages that are due, the longest overdue first, at most `most`; with their importance as cash.
  // They may be read or unread. What is offered is expected to be visited.
  std::vector<schedule::Candidate> TakeDue(size_t most);
  size_t due() const { return due_.size(); }
  // What was offered and not visited will not be: it is due again.
  void OffersWereLost();
  // Of the bandwidth, while there are unread pages.
  double share() const { return options_.share; }

  // When a page is due, Unix seconds; 0: it is not read again, as things are.
  absl::StatusOr<int64_t> DueOf(PageId page);

  RefreshStats stats() const;
  // When the pages are due, by their rows: some of them are looked at in each call, from the key
  // `from` on, "" at first. True: those were the last ones.
  absl::StatusOr<bool> AddDueTimes(std::string& from, DueTimes& times);
  // Since the plan was opened: readings of pages that were read before, and those that found them
  // changed.
  uint64_t readings() const { return readings_; }
  uint64_t changes() const { return changes_; }

 private:
  RefreshPlan(const RefreshOptions& options, const ledger::Ledger& ledger, store::Store& store,
              const std::string& folder);
  refresh::PagePlan PlanOf(const ledger::HistoryRow& row);
  int64_t DueIn(const refresh::PagePlan& plan, int64_t fetched_at) const;
  absl::Status CountAnew(absl::Time now);
  uint64_t OwnShards() const;
  absl::Status CountSome();
  void LendOrTakeBack(absl::Time now);
  absl::Status LookAtSome(absl::Time now);
  absl::StatusOr<bool> IsDue(const refresh::CalendarEntry& entry);
  bool IsCounted(PageId page) const;
  refresh::PagePlan PlanAfter(const ledger::Visit& visit, const ledger::HistoryRow* before,
                              const refresh::PagePlan& plan, absl::Time now);
  void Observe(const ledger::Visit& visit, const ledger::HistoryRow* before,
               refresh::PagePlan& plan);
  double ImportanceOf(PageId page, const ledger::HistoryRow* row) const;
  double FrequencyOf(const refresh::PagePlan& plan) const;
  void Count(const refresh::PagePlan& before, const refresh::PagePlan& after);
  int64_t NextDueOf(absl::Time due, absl::Time previous, absl::Time fetched,
                    const refresh::PagePlan& plan) const;
  absl::Status AddToCalendar(PageId page, int64_t due);
  double bandwidth() const { return options_.pages_per_s * options_.share + lent_; }
  refresh::Frequencies NoPages() const;

  const RefreshOptions as_started_;
  RefreshOptions options_;
  const ledger::Ledger& ledger_;
  store::Store& store_;
  const std::string folder_;

  std::unique_ptr<CalendarFile> file_;
  std::optional<refresh::Calendar> calendar_;
  absl::Time now_;  // of the last Step
  absl::Time saved_;
  absl::Time measured_;   // the use of the rate, until then
  uint64_t fetched_ = 0;  // since then
  double lent_ = 0;       // of discovery's part, pages a second
  refresh::Frequencies frequencies_;
  refresh::RateTree rates_;
  uint64_t placements_ = 0;  // Placements::changes that was looked at
  uint64_t own_shards_ = 0;  // OwnShards that the counts are of
  uint64_t readings_ = 0, changes_ = 0;
  std::array<uint64_t, refresh::kCategories> readings_of_{};
  bool damage_told_ = false;

  std::optional<std::string> count_from_ = "";  // key of Table::kHistory; nothing: all is counted
  absl::flat_hash_map<PageId, refresh::PagePlan> this_group_;  // plans that are not committed yet
  struct Due {
    PageId page;
    int64_t due;
    double importance;
  };
  std::deque<Due> due_;
  std::vector<refresh::CalendarEntry> on_the_move_;  // due, of shards that may not be visited now
  absl::flat_hash_map<PageId, Due> offered_;
};

}  // namespace opic::node

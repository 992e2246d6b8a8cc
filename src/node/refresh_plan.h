// When each page of this node is read again (thesis chapters 3 and 4). Every visit of a page shows
// whether it has changed; from that and its importance follows how often it is worth a fetch, and
// from that when it is due. What is known of a page stands in its row (refresh::PagePlan); the
// counts by weight, the rates of the groups and the calendar are made from the rows at every start,
// in steps, while the crawl goes on.
//
// How long what pages have shown counts is learnt from a sample of them (refresh/memory_choice.h).
//
// A page without observations takes the change rate of its like (refresh/rate_tree.h). Its category
// has a factor on the importance of its pages, which an operator may change at any moment. So the
// due time in a row is as if that factor were 1: divided by the factor's effect on the frequency
// (Frequencies::scale), the time since the fetch gives the due time that holds, at every look.
//
// What is published of a page (refresh/publication.h) is applied to its row in the same way, at
// every look: a row is as if nothing were. Pages of a fixed period are not in the counts by weight;
// their bandwidth is taken off first. For publications of prefixes or hosts a look reads the page's
// name row, too.
//
// Thread safety: confined to the ledger's thread. Time comes in as an argument, by the wall clock.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
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
#include "node/host_budgets.h"
#include "node/host_rule_book.h"
#include "node/publications.h"
#include "node/refresh_options.h"
#include "node/refresh_rate.h"
#include "refresh/calendar.h"
#include "refresh/fixed_periods.h"
#include "refresh/frequencies.h"
#include "refresh/memory_choice.h"
#include "refresh/page_plan.h"
#include "refresh/publication_book.h"
#include "refresh/rate_tree.h"
#include "schedule/refresh_demand.h"
#include "schedule/strategy.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::node {

// When the page was read last, in seconds of the wall clock. What a row of a peer may say has
// bounds here (year 9999).
inline int64_t FetchedAt(const ledger::HistoryRow& row) {
  return std::clamp<int64_t>(row.fetched_at, 0, 253'402'300'799);
}

class RefreshPlan final : public Publications {
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

  // What was published before; REQUIRES: nothing was, to this plan. `hash`, which must outlive it,
  // tells the pages of URLs.
  absl::Status Follow(refresh::PublicationBook book, const url::UrlHash& hash, absl::Time now);
  // After one of a prefix or host all rows are counted again. REQUIRES: Follow.
  absl::StatusOr<bool> Publish(const refresh::Publication& publication, absl::Time now) override;
  absl::StatusOr<bool> Adopt(const std::vector<refresh::Publication>& told,
                             absl::Time now) override;
  absl::StatusOr<refresh::Publication> Withdraw(uint64_t id, absl::Time now) override;
  const refresh::PublicationBook& publications() const override { return book_; }
  // What is published for a page that is known.
  absl::StatusOr<refresh::Rule> RuleOf(PageId page) const;

  // Pages that were read, of hosts that an operator has blocked or that are past their budgets, are
  // held back: they stay read, and are due as before when the block is lifted, or the budget is
  // raised. Both must outlive the plan; null: hosts have no budgets.
  void AskHostRules(const HostRuleBook& rules, HostBudgets* budgets = nullptr) {
    host_rules_ = &rules;
    budgets_ = budgets;
  }
  // They have changed. When what held pages back is lifted, all rows are counted again; a budget
  // may be another one after each change.
  absl::Status HostRulesChanged(absl::Time now);

  // Once a turn, before Plan: counts some rows where that is to be done, and looks which pages are
  // due. When shards have come or gone, all rows are counted again.
  absl::Status Step(absl::Time now);
  // Before each Step. Of the node's fetcher: all its requests until now, since what has no visit
  // (robots.txt, tries that failed) counts against the rate, too; and whether it makes as many at
  // once as it may, so that what is not fetched is not for the hosts.
  void NoteFetcher(uint64_t requests, bool all_in_use) {
    refresh_rate_.NoteFetcher(requests, all_in_use);
  }
  // Fills in Visit::plan. To be called before the ledger records these visits, and after the
  // commit of all groups before.
  absl::Status Plan(absl::Span<ledger::Visit> visits, absl::Time now);

  // Pages that are due, the longest overdue first, at most `most`; with how often the plan reads
  // them as cash (schedule/refresh_cash.h). They may be read or unread. Before them are those that
  // are published to be read now, once a second as it were. What is offered is expected to be
  // visited. While there are unread pages, others than those have their part of the rate and no
  // more: some may remain due().
  std::vector<schedule::Candidate> TakeDue(size_t most);
  size_t due() const { return due_.size(); }
  // Since when a page is due that TakeDue returned, and that was not visited since; nothing: it was
  // not.
  std::optional<absl::Time> OfferedSince(PageId page) const;
  // What was offered and not visited will not be: it is due again.
  void OffersWereLost();
  // The share of the bandwidth, while there are unread pages.
  double share() const { return refresh_rate_.share(AllRead()); }
  // The same without what is lent: of what pages of both kinds want.
  double given_share() const { return options_.share; }

  // Once in a while in a cluster: what the node may read again follows from what its peers say that
  // they would (schedule/refresh_demand.h). Returns what this node would, for them; not if it can
  // fetch nothing now, or has not counted its pages.
  const schedule::RefreshDemand& ShareRate(bool can_fetch,
                                           absl::Span<const schedule::RefreshDemand> others);
  // Of the node's own rate, above 0: how much of it holds for all its fetches.
  double rate_factor() const { return refresh_rate_.factor(AllRead()); }

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
  // How long what pages have shown of their changes counts now.
  const refresh::ChangeMemory& change_memory() const { return memory_.memory(); }

 private:
  struct Due {
    PageId page;
    int64_t due;
    double frequency;
  };
  // What a page takes of the bandwidth: a fixed part, or one by its weight, or none.
  struct Share {
    int64_t period = 0;
    bool planned = false;
    refresh::RefreshWeight weight;
    size_t category = 0;
  };
  RefreshPlan(const RefreshOptions& options, const ledger::Ledger& ledger, store::Store& store,
              const std::string& folder, absl::Time now);
  refresh::PagePlan PlanOf(const ledger::HistoryRow& row);
  // When the page is due as things are; and as if it were planned by its weight.
  int64_t DueIn(PageId page, const refresh::PagePlan& plan, const refresh::Rule& rule,
                int64_t fetched_at) const;
  static double ScaleOf(const refresh::PagePlan& plan, const refresh::Rule& rule,
                        double of_category);
  int64_t PlannedDue(const refresh::PagePlan& plan, const refresh::Rule& rule,
                     int64_t fetched_at) const;
  absl::Status TakeKeptMemory();
  absl::Status KeepMemory();
  absl::Status CountAnew(absl::Time now);
  uint64_t OwnShards() const;
  absl::Status CountSome();
  void Offer(const Due& due, std::vector<schedule::Candidate>& taken);
  void NotOffered(PageId page);
  absl::Status LookAtSome(absl::Time now);
  absl::StatusOr<bool> IsDue(const refresh::CalendarEntry& entry);
  absl::StatusOr<bool> IsHeldBack(PageId page);
  bool IsCounted(PageId page) const;
  absl::StatusOr<refresh::PagePlan> PlanAfter(const ledger::Visit& visit,
                                              const ledger::HistoryRow* before, bool second,
                                              const refresh::PagePlan& plan, absl::Time now);
  void Observe(const ledger::Visit& visit, const ledger::HistoryRow* before,
               refresh::PagePlan& plan);
  absl::StatusOr<double> ImportanceOf(PageId page, const ledger::HistoryRow* row) const;
  double FrequencyOf(const refresh::PagePlan& plan, const refresh::Rule& rule) const;
  Share ShareOf(const refresh::PagePlan& plan, const refresh::Rule& rule) const;
  void Count(const Share& before, const Share& after);
  int64_t NextDueOf(absl::Time due, absl::Time previous, absl::Time fetched,
                    const refresh::PagePlan& plan, const refresh::Rule& rule) const;
  absl::Status AddToCalendar(PageId page, int64_t due);
  absl::Status ChangeBook(absl::Span<const refresh::Publication> changed,
                          refresh::PublicationBook book, absl::Time now);
  absl::Status Recount(PageId page, const refresh::Rule& before);
  absl::Status KeepBook(absl::Time now);
  void SetAside();
  absl::Status LookAtErrands(absl::Time now);
  absl::Status LookAtErrand(const refresh::Publication& errand);
  bool IsAtOnce(PageId page) const;
  bool AllRead() const;
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
  RefreshRate refresh_rate_;
  refresh::Frequencies frequencies_;
  refresh::RateTree rates_;
  refresh::MemoryChoice memory_;  // of this node's pages; the choice is kept over restarts
  size_t memory_kept_ = 0;        // MemoryChoice::chosen on disk
  uint64_t placements_ = 0;       // Placements::changes that was looked at
  uint64_t own_shards_ = 0;       // OwnShards that the counts are of
  uint64_t readings_ = 0, changes_ = 0;
  std::array<uint64_t, refresh::kCategories> readings_of_{};
  bool damage_logged_ = false;

  const HostRuleBook* host_rules_ = nullptr;  // null: no host is blocked
  HostBudgets* budgets_ = nullptr;
  bool held_by_budget_ = false;  // pages were, since the last count
  // Blocks that pages were held back by since the last count: of a domain, and its name.
  std::set<schedule::HostName> held_by_;

  const url::UrlHash* hash_ = nullptr;
  refresh::PublicationBook book_;
  absl::flat_hash_set<PageId> published_;  // pages of its URLs
  std::vector<uint64_t> errands_;          // ids, of its URLs that are to be read now
  size_t next_errand_ = 0;                 // in errands_
  absl::Time errands_seen_;
  std::vector<uint64_t> errands_done_;  // by visits that are not committed yet
  refresh::FixedPeriods fixed_;
  bool too_much_told_ = false;
  int64_t next_expiry_ = 0, last_given_ = 0;  // of book_

  std::optional<std::string> count_from_ = "";  // key of Table::kHistory; nothing: all is counted
  absl::flat_hash_map<PageId, refresh::PagePlan> this_group_;  // plans that are not committed yet
  std::deque<Due> due_;
  std::vector<refresh::CalendarEntry> on_the_move_;  // due, of shards that may not be visited now
  absl::flat_hash_map<PageId, Due> offered_;
  double waiting_rate_ = 0;  // readings a second that the plan wants of those
};

}  // namespace opic::node

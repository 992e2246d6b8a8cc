// Which unread pages are worth more than their cash says, and by what factor: the one place where
// what operators ask for meets discovery. The factor is a page's boost (`opic publish boost`,
// `--focus`), times what the interest in pages like it makes of it (`--interest`;
// schedule/interest.h). No cash moves for it, and the ranking does not know it
// (docs/decisions/2026-11-25-focus-without-cash.md).
//
// It acts three times. The sweep of unread pages, which sees cash alone, has a list beside it
// (schedule/favoured_pages.h): favoured pages are listed when they are discovered, and chosen as
// soon as cash times factor reaches the threshold of the sweep. A page is offered with its cash
// times its factor, by which the queue of its host is ordered. And of the hosts that are ready
// those with a favoured page go first (scheduler/ready_line.h).
//
// The list is bounded and in memory alone. At a start, when shards have come, when other pages are
// raised, and when it runs out and was too short, the rows of all pages are looked through for it,
// in steps, while the crawl goes on. With an interest they are, too, as more of it was learnt.
// Without a boost above 1 and an interest all this costs nothing.
//
// What interest has learnt is kept in the folder (node/interest_memory.h), written seldom, and with
// a group that is written anyway: a kill loses the last 64 readings, or one for 16 forms known.
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ledger/ledger.h"
#include "ledger/visit.h"
#include "node/pools.h"
#include "refresh/category.h"
#include "refresh/publication_book.h"
#include "schedule/favoured_pages.h"
#include "schedule/interest.h"
#include "schedule/strategy.h"
#include "store/store.h"
#include "url/url.h"

namespace opic::node {

class Attention {
 public:
  static constexpr size_t kListedMax = 65'536;  // pages; about 2 MB
  // From this factor on a page is favoured: it is listed, and its host goes before others in the
  // Page Scheduler. Below, the factor counts among the pages of its host alone.
  static constexpr double kFavouredFrom = 1.5;

  // All must outlive it. Pages of `closed` shards are not chosen. `interest`: how much more pages
  // of a category are wanted, at least 1.
  Attention(const ledger::Ledger& ledger, store::Store& store, const ClosedShards& closed,
            const refresh::Factors& interest = refresh::kNoFactors);

  // What is published, as it changes. `book` must outlive it. Without a call nothing is raised.
  void Follow(const refresh::PublicationBook& book) { book_ = &book; }

  // What was offered and not visited will not be: it is unread, and listed no more.
  void OffersWereLost() { incomplete_ = true; }

  // 1: nobody asks for more, or for less.
  double FactorOf(const url::Url& url) const;
  // What interest has in it; 1: nothing.
  double InterestFactorOf(const url::Url& url) const;

  // Takes up what interest had learnt when it was last written. If that cannot be read, this is
  // told, and it begins anew. An error is one of reading the store. To be called before the rest.
  absl::Status Recall();
  // A row of Table::kMeta to be written with the next group, when there is more to keep than
  // before: now and then, or `at_once`. Nothing: there is not.
  std::optional<std::pair<std::string, std::string>> TakeRow(bool at_once);

  // Once a turn: sees what has changed, and looks through some rows where that is to be done.
  absl::Status Step();
  // It has more rows to look through at once.
  bool looking() const { return look_from_.has_value(); }
  // These visits are about to be recorded: what the pages were worth. Of pages of other nodes
  // nobody knows here whether they are discovered; they are left out.
  absl::Status Learn(absl::Span<const ledger::Visit> visits);
  // The page was discovered, and is in the table.
  void Found(PageId page, const std::string& url);
  // Unread pages, at most `most`, that are not ordered, and whose cash times their factor reaches
  // `threshold`; those with the most first. They are listed no more. With their cash.
  std::vector<schedule::Candidate> Take(size_t most, cash::Amount threshold);

 private:
  bool raises() const { return raising_ != 0 || most_interest_ > 1; }
  double BestDiscovered(const ledger::Visit& visit) const;
  std::optional<cash::Amount> CashOf(PageId page) const;
  absl::Status LookAtSome();

  const ledger::Ledger& ledger_;
  store::Store& store_;
  const ClosedShards& closed_;
  const double most_interest_;     // 1: in nothing
  const refresh::Factors wanted_;  // by category, from 0 to 1
  schedule::Interest interest_;
  uint64_t learnt_ = 0;  // pages, since the rows were looked through
  uint64_t unkept_ = 0;  // pages learnt from, since a row was taken
  const refresh::PublicationBook* book_ = nullptr;
  uint64_t raising_ = 0;     // PublicationBook::raising that the list is of
  uint64_t placements_ = 0;  // Placements::changes that was seen
  size_t shards_closed_ = 0;
  schedule::FavouredPages favoured_{kListedMax};
  bool incomplete_ = false;               // pages to be listed may not be
  std::optional<std::string> look_from_;  // key of Table::kPage; nothing: all were looked at
};

}  // namespace opic::node

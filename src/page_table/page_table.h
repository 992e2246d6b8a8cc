// The cash vector (paper section 4.1): cash and state of every known page, in at most 8 bytes of
// RAM each.
//
// One table a shard, made of segments by the top bits of the id, so that growing copies one small
// table at a time. A segment is a two-choice bucketised cuckoo table: a bucket is one 64-byte line
// of 9 slots of 7 bytes in columns (line.h); the bucket's position holds part of the id, the slot
// the rest (quotienting), 17 bits of cash (cash/cell.h) and two state bits. The id of a slot can be
// rebuilt exactly (segment.h). A shard of less than 4,000 pages is a sorted array of words instead
// (roster.h).
//
// Memory: 64 / 9 = 7.11 bytes a slot, at a load between 0.81 and 0.97 while growing by a fifth,
// shifted from segment to segment (shard.h): 8.0 bytes a page on average, and the copy of one
// segment at a time. Segments lie in huge pages (arena.h).
//
// Replay rule: the outcome of every mutating call depends only on the table's *contents* (pages,
// cells, states), the call's arguments and the order of calls, never on the layout, so that a table
// loaded from a checkpoint and replayed equals the one that crashed.
//
// Thread safety: confined to the owner thread (the ledger's). A helper of its own works only within
// Apply, at other shards than the owner (apply.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/byte_source.h"
#include "base/ids.h"
#include "cash/amount.h"
#include "cash/cell.h"
#include "page_table/roundings.h"
#include "page_table/totals.h"

namespace opic::base {
class ForkJoin;
}

namespace opic::page_table {

struct Page {
  PageId page;
  cash::Cell cash;
  // Needs no fetch: fetched, out of scope, forbidden, or failed for good. Durable.
  bool done = false;
  // Offered to the scheduler and not yet visited. Volatile: false after a load.
  bool ordered = false;
};

struct Credit {
  PageId page;
  cash::Amount amount;
};

// Which pages a walk shows: those that are done or not, ordered or not, where that is given, and
// hold or owe at least so much.
struct Filter {
  std::optional<bool> done;
  std::optional<bool> ordered;
  cash::Amount magnitude_min;
};

// Where a walk stands; begins at the start of the table. A walk that goes on while pages are added
// or moved may meet a page twice or not at all in one turn.
struct Cursor {
  uint32_t shard = 0;
  uint32_t segment = 0;
  uint64_t bucket = 0;
};

class Arena;
class Place;
class Shard;
class ShardCopies;
struct State;

class PageTable {
 public:
  // REQUIRES: `shards` is a power of two, 1 to 65,536.
  explicit PageTable(uint32_t shards);
  ~PageTable();
  PageTable(const PageTable&) = delete;
  PageTable& operator=(const PageTable&) = delete;

  // Adds an unread page with no cash. False: known already (nothing changes).
  bool Add(PageId page);
  // Adds a page that moves here, with the very cell that it had. False: known already (nothing
  // changes).
  bool AddMoved(const Page& page);
  // Forgets all pages of a shard.
  void Drop(ShardId shard);
  std::optional<Page> Find(PageId page) const;
  void SetDone(PageId page, bool done);        // REQUIRES: known. Setting done clears ordered.
  void SetOrdered(PageId page, bool ordered);  // REQUIRES: known
  void ClearOrdered();                         // of every page

  // Adds each credit to its page's cell in the given order. What a cell cannot hold goes to or
  // comes from an account, drawn by RoundingDraw(log_number, page), which begins with `loan` at
  // the first credit of each shard: so no shard's cells depend on those of another. Returns what
  // the accounts have in the end, less what they were lent. Adds pages that are not known.
  // Bulk work, the faster the more credits come at once: waits for the memory of many overlap.
  // REQUIRES: the credits of a shard follow each other; two threads may work at two shards.
  cash::Sum Apply(absl::Span<const Credit> credits, uint64_t log_number, cash::Amount loan);
  // From now on Apply has a second thread pay some of the shards where many credits come at once,
  // if the system has one more. What that has used of a processor so far.
  void UseHelper();
  absl::Duration helper_cpu() const;
  // What Apply has rounded.
  const Roundings& roundings() const { return roundings_; }
  // The cells that there are, as what Since needs. O(slots).
  Roundings HeldNow() const;
  void SetRoundings(const Roundings& roundings) { roundings_ = roundings; }
  // Takes the whole cash of a page: returns it and leaves 0. REQUIRES: known.
  cash::Amount Take(PageId page);

  // An instalment of the virtual page: `each` to every page of `shard` with first <= id < last,
  // unread (not done) ones only if asked. Returns how many pages there were. `*reserve` has at
  // least each * pages of that range; it pays and takes the rounding. Rounding is stochastic if the
  // reserve can pay for it whatever the order, else down for all, so that the result does not
  // depend on the layout.
  uint64_t PayRange(ShardId shard, uint64_t first, uint64_t last, bool unread_only,
                    cash::Amount each, uint64_t log_number, cash::Amount* reserve);
  // How many pages PayRange would pay.
  uint64_t CountRange(ShardId shard, uint64_t first, uint64_t last, bool unread_only) const;

  // Visits about `slots_max` slots from the cursor on, calling `visit` for every page in them, or
  // those that `filter` lets through; moves the cursor, wrapping to the beginning at the end of the
  // table (then returns true). `visit` must not change the table. What is left out costs little.
  bool Walk(Cursor& cursor, uint64_t slots_max, absl::FunctionRef<void(const Page&)> visit) const {
    return Walk(cursor, slots_max, Filter(), visit);
  }
  bool Walk(Cursor& cursor, uint64_t slots_max, const Filter& filter,
            absl::FunctionRef<void(const Page&)> visit) const;
  // A cursor at a random place, weighted by slots; `draw` is uniform in 64 bits. O(shards).
  Cursor RandomCursor(uint64_t draw) const;

  // What Totals::done_deviation is measured from, 0 at first. Counts it anew: some 10 ms a million
  // pages.
  void SetReference(cash::Amount reference);
  cash::Amount reference() const { return reference_; }

  Totals totals() const;                    // O(1)
  ShardTotals totals(ShardId shard) const;  // O(1)
  uint32_t shards() const;

  // Checkpoint of one shard in a layout-free, checksummed format (docs/formats/checkpoint.md):
  // sorted ids as deltas, cells, done bits. Handed to `write` piece by piece. Load replaces an
  // empty shard by all that is left of `bytes`; data that Save did not write is refused (DataLoss)
  // and leaves the shard empty, as does what `bytes` fails with.
  void Save(ShardId shard, absl::FunctionRef<void(std::string_view)> write) const;
  absl::Status Load(ShardId shard, base::ByteSource& bytes);
  // Copies of the shards as they are now, some 8 bytes a page, that are made little by little: what
  // changes meanwhile is copied before. REQUIRES: no copies are under way.
  void BeginCopy(absl::Span<const ShardId> shards);
  // Copies `bytes_max` more (16 KiB at least); what changes is not counted. Null: not all is copied
  // yet. REQUIRES: copies are under way.
  std::unique_ptr<const ShardCopies> CopySome(uint64_t bytes_max);

 private:
  struct Account;
  struct Gains;

  // Makes the totals follow a page whose state changes.
  void Count(ShardTotals& part, State before, State after);
  // What the page's cash adds to the sums over the pages.
  CashSums SumsOf(State state) const;
  // Null: no pages.
  Shard* ShardOf(ShardId shard) const;
  Place FindPlace(PageId page) const;
  Place KnownPlace(PageId page) const;  // REQUIRES: known
  // Adds the page if it is not known, then says so in `*added`.
  Place FindOrAdd(PageId page, Totals& totals, bool* added);
  // An unread page with no cash; what it adds to the table's totals goes to `totals`. REQUIRES: not
  // known.
  Place AddNew(PageId page, Totals& totals);
  // Sets the state of a page and makes the totals follow.
  void Change(ShardId shard, Place place, State state);
  void Credited(State before, cash::Cell after, int64_t gain, Account& account,
                CashSums& sums) const;
  void PayAll(absl::Span<const Credit> credits, uint64_t log_number, cash::Amount loan,
              Gains& gains);
  void Pay(const Credit& credit, Place place, uint64_t log_number, Account& account, Totals& totals,
           Roundings& roundings);
  // Fills the empty shard; what was read before an error stays.
  absl::Status LoadPages(ShardId shard, base::ByteSource& bytes);

  const std::unique_ptr<Arena> arena_;   // of the shards
  std::unique_ptr<ShardCopies> copies_;  // under way
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<ShardTotals> shard_totals_;
  Totals totals_;  // of all shards
  cash::Amount reference_;
  Roundings roundings_;
  std::unique_ptr<base::ForkJoin> fork_join_;  // null: one thread
};

}  // namespace opic::page_table

#include "ledger/shard_moves.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/damaged_folder.h"
#include "base/status_macros.h"
#include "ledger/clock_max.h"

namespace opic::ledger {
namespace {

// A batch has a megabyte and one row, and no receiver takes more than four.
constexpr size_t kMovedPageBytesMax = size_t{3} << 20;

// What a page has recorded at most: by ledger push what PaidToEach bears (importance/push.h), with
// windows kClockMax.
constexpr cash::Sum kPushHistoryMax = std::numeric_limits<int64_t>::max();

// The keys of a shard are those from `first` on and before `end`.
struct KeyRange {
  std::string first, end;
};
KeyRange KeysOf(ShardId shard) {
  return {KeyOf(PageId(shard, 0)), KeyOf(PageId(shard, kPageIdCount - 1)) + '\0'};
}

// What a readable history row says that no visit can have written; empty: nothing.
std::string FaultOf(const MovedPage& moved, const Charter& charter,
                    const importance::Window& window) {
  HistoryRow row;
  if (!moved.history.empty()) {
    absl::StatusOr<HistoryRow> read = DecodeHistoryRow(moved.history, window);
    if (!read.ok()) return "";
    row = *std::move(read);
  }
  if (moved.done && row.visits == 0) return "which is done and was never visited";
  const cash::Sum most = charter.method == importance::Method::kPush ? kPushHistoryMax : kClockMax;
  if (row.history.sum > most || row.history.sum < -most)
    return "which has recorded more than there can be";
  for (PageId link : row.links) {
    if (link.shard().value >= charter.shards)
      return absl::StrCat("which links to shard ", link.shard().value, ", which does not exist");
  }
  return "";
}

// Peers with a newer cluster file may have told of nodes that this node's file lacks.
absl::Status CheckNodes(const Placements& placements, uint32_t shards, uint16_t nodes) {
  for (uint32_t s = 0; s < shards; ++s) {
    const std::optional<ShardRow::Arrival>& arriving = placements.arriving(ShardAt(s));
    const NodeId owner = placements.OwnerOf(ShardAt(s)), from = arriving ? arriving->from : owner;
    const NodeId last = std::max(owner, from);
    if (last.value < nodes) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("the data folder has shard ", s, " at node ", last.value,
                     ", which the cluster file does not have: take the newest cluster file"));
  }
  return absl::OkStatus();
}

absl::Status Damaged(ShardId shard, std::string_view what) {
  return base::DamagedFolder(absl::StrCat("shard ", shard.value, " ", std::string(what)));
}

}  // namespace

ShardMoves::ShardMoves(const Options& options, const Charter& charter,
                       const importance::Window& window, store::Store& store, Books& books,
                       Peers& peers, Accounting& accounting, Placements& placements,
                       Delivery& delivery, RestateDuty& restating, CommitGroup& group)
    : options_(options),
      charter_(charter),
      window_(window),
      store_(store),
      books_(books),
      peers_(peers),
      accounting_(accounting),
      placements_(placements),
      delivery_(delivery),
      restating_(restating),
      group_(group),
      knows_moves_(charter.generation == 1 || options.nodes <= 1) {}

absl::Status ShardMoves::Load() {
  RETURN_IF_ERROR(placements_.Load(store_));
  // Without a cluster file nobody is paid elsewhere: the folder is at rest.
  if (options_.owner) RETURN_IF_ERROR(CheckNodes(placements_, charter_.shards, options_.nodes));
  ASSIGN_OR_RETURN(const std::optional<std::string> met, store_.Get(store::Table::kMeta, kMetKey));
  knows_moves_ |= met || peers_.MetAll();
  return absl::OkStatus();
}

absl::StatusOr<RowSums> ShardMoves::SumsOf(const std::vector<MovedPage>& pages) const {
  RowSums sums;
  for (const MovedPage& moved : pages) {
    RETURN_IF_ERROR(ReadPageRow(moved.page, moved.row).status());
    if (moved.history.empty()) continue;
    ASSIGN_OR_RETURN(const HistoryRow row, ReadHistoryRow(moved.page, moved.history, window_));
    if (row.visits > 0) ++sums.kinds[static_cast<int>(row.kind)];
    sums.history += row.history.sum;
    sums.kept += accounting_.KeptOf(row);
  }
  return sums;
}

// --- A shard leaves.

absl::Status ShardMoves::MayDepart(ShardId shard, NodeId to, std::string_view hosts) const {
  const auto refuse = [&](const std::string& why) {
    return absl::FailedPreconditionError(absl::StrCat("shard ", shard.value, " ", why));
  };
  if (shard.value >= charter_.shards) {
    return absl::InvalidArgumentError(absl::StrCat("there is no shard ", shard.value));
  }
  if (hosts.size() > kHostsBytesMax) {
    return absl::InvalidArgumentError("the state of the hosts of a shard is longer than 1 MB");
  }
  if (!peers_.Has(to)) return refuse(absl::StrCat("cannot move from this node to node ", to.value));
  if (placements_.arriving(shard)) return refuse("is still arriving here");
  if (!placements_.Owns(shard)) {
    return refuse(absl::StrCat("is not here: it is at node ", placements_.OwnerOf(shard).value));
  }
  if (!knows_moves_) {
    return refuse(
        "may be elsewhere: this folder replaces a lost one and has not met all its peers");
  }
  if (!Workable(shard)) return refuse("has just arrived: its hosts are not taken over yet");
  if (peers_.OutboxBytesOf(to) > options_.departure_outbox_bytes_max) {
    return absl::UnavailableError(
        absl::StrCat("too much waits for node ", to.value, " already; try again later"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MovedPage>> ShardMoves::PagesOf(ShardId shard) const {
  std::vector<MovedPage> pages;
  const auto [first, end] = KeysOf(shard);
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kPage, first);
  const std::unique_ptr<store::Cursor> histories = store_.Scan(store::Table::kHistory, first);
  for (; rows->Valid() && rows->key() < end; rows->Next()) {
    ASSIGN_OR_RETURN(const PageId page, PageOfKey(rows->key()));
    const std::optional<page_table::Page> known = books_.table().Find(page);
    if (!known)
      return Damaged(
          shard, absl::StrCat("has a row of page ", page.id(), ", which is not in the page table"));
    MovedPage moved{page, known->cash, known->done, std::string(rows->value()), {}};
    if (histories->Valid() && histories->key() == rows->key()) {
      moved.history = std::string(histories->value());
      histories->Next();
    }
    pages.push_back(std::move(moved));
  }
  RETURN_IF_ERROR(rows->status());
  RETURN_IF_ERROR(histories->status());
  if (histories->Valid() && histories->key() < end) {
    return Damaged(shard, "has a history of a page that has no row (`opic verify` names it)");
  }
  if (pages.size() != books_.table().totals(shard).pages) {
    return Damaged(shard, "lacks rows of pages that are in the table");
  }
  return pages;
}

void ShardMoves::Forget(ShardId shard, const RowSums& rows) {
  restating_.Spoil("a shard was moved meanwhile; try again");
  const page_table::ShardTotals totals = books_.table().totals(shard);
  group_.departures.push_back({shard, totals.pages, totals.cash});
  for (int kind = 0; kind < kVisitKinds; ++kind) {
    uint64_t& count = books_.by_kind()[kind];
    OPIC_CHECK(count >= rows.kinds[kind]) << "more visited pages depart than were counted";
    count -= rows.kinds[kind];
  }
  accounting_.Departed(rows);
  books_.table().Drop(shard);
  OPIC_CHECK(books_.table().totals(shard).pages == 0) << "a shard departs and leaves pages";
}

absl::Status ShardMoves::Depart(ShardId shard, NodeId to, std::string_view hosts) {
  OPIC_CHECK(group_.empty()) << "a shard departs inside a commit group";
  OPIC_CHECK(!options_.read_only) << "a shard departs from a ledger opened for reading";
  RETURN_IF_ERROR(MayDepart(shard, to, hosts));
  ASSIGN_OR_RETURN(std::vector<MovedPage> pages, PagesOf(shard));
  for (const MovedPage& moved : pages) {
    if (BytesOf(moved) > kMovedPageBytesMax) {
      return absl::FailedPreconditionError(
          absl::StrCat("shard ", shard.value, " has a page whose row is too long for a batch"));
    }
  }
  ASSIGN_OR_RETURN(const RowSums sums, SumsOf(pages));
  const Placement next{shard, to, placements_.move(shard) + 1};
  Forget(shard, sums);
  group_.chunks.emplace_back(to, InPieces(shard, next.move, std::move(pages), std::string(hosts),
                                          options_.batch_bytes_max));
  placements_.Learn(next);
  OPIC_CHECK(!placements_.Owns(shard)) << "a shard departs to its own node";
  delivery_.PostHeld(shard);
  return absl::OkStatus();
}

// This is not a move: another node owns the shard already, or will, while a part of it is here. The
// cash that its pages have gathered here is paid to them there like any other cash; the visits
// recorded here are forgotten.
absl::Status ShardMoves::Surrender(ShardId shard) {
  ASSIGN_OR_RETURN(const std::vector<MovedPage> pages, PagesOf(shard));
  ASSIGN_OR_RETURN(const RowSums sums, SumsOf(pages));
  Forget(shard, sums);
  delivery_.PostHeld(shard);
  for (const MovedPage& moved : pages) {
    ASSIGN_OR_RETURN(PageRow row, ReadPageRow(moved.page, moved.row));
    group_.named.try_emplace(moved.page,
                             PageName{std::move(row.url), row.depth, std::move(row.referrer)});
    group_.credits.push_back({moved.page, moved.cash.value()});
    if (!moved.history.empty()) restating_.RecordsWereLost();
  }
  std::erase(arrivals_announced_, shard);
  return absl::OkStatus();
}

// --- A shard arrives.

absl::Status ShardMoves::CheckChunk(const ShardChunk& chunk) const {
  const ShardId shard = chunk.shard;
  const auto refuse = [](std::string_view why) {
    return absl::FailedPreconditionError(absl::string_view(why.data(), why.size()));
  };
  if (shard.value >= charter_.shards)
    return refuse(absl::StrCat("moves shard ", shard.value, ", which does not exist"));
  if (chunk.move == 0 || chunk.move > kMovesMax || chunk.hosts.size() > kHostsBytesMax) {
    return refuse(absl::StrCat("moves shard ", shard.value, " by move ", chunk.move, " with ",
                               chunk.hosts.size(), " bytes of hosts, which is impossible"));
  }
  for (const MovedPage& moved : chunk.pages) {
    const std::string fault = FaultOf(moved, charter_, window_);
    if (!fault.empty()) return refuse(absl::StrCat("moves page ", moved.page.id(), ", ", fault));
  }
  if (!SumsOf(chunk.pages).ok()) return refuse("brings damaged rows");
  return absl::OkStatus();
}

// A shard comes by one move at a time, and only forward. Two faults bring pieces of another one. A
// lost folder had the shard whole and may have moved it on: its successor has heard of that from
// others before the piece, sealed anew, reached it. And a folder that ran twice has sent its shard
// two ways, which meet here. Of two moves the later one holds.
bool ShardMoves::IsStale(NodeId from, const ShardChunk& chunk) const {
  const ShardId shard = chunk.shard;
  const std::optional<ShardRow::Arrival>& arriving = placements_.arriving(shard);
  if (arriving && chunk.move <= arriving->move) {
    return *arriving != ShardRow::Arrival{from, chunk.move};
  }
  return !arriving && (placements_.Owns(shard) || chunk.move <= placements_.move(shard));
}

// The owner gets names and cash. What was recorded of the pages was with the faulty folder, or is
// with the owner.
void ShardMoves::PostStale(const ShardChunk& chunk) {
  for (const MovedPage& moved : chunk.pages) {
    PageRow row = DecodePageRow(moved.row).value();
    delivery_.Take(
        {moved.page, moved.cash.value(), std::move(row.url), row.depth, std::move(row.referrer)});
    if (!moved.history.empty()) restating_.RecordsWereLost();
  }
}

void ShardMoves::TakeChunk(NodeId from, const ShardChunk& chunk) {
  if (IsStale(from, chunk)) return PostStale(chunk);
  const ShardId shard = chunk.shard;
  const std::optional<ShardRow::Arrival>& arriving = placements_.arriving(shard);
  if (!arriving || arriving->move < chunk.move) {
    placements_.BeginArrival(shard, from, chunk.move);
  }
  std::vector<MovedPage> added;
  for (const MovedPage& moved : chunk.pages) {
    if (books_.table().AddMoved({moved.page, moved.cash, moved.done})) {
      added.push_back(moved);
      if (!charter_.referrers) added.back().row = WithoutReferrer(moved.row);
      continue;
    }
    // It came by the earlier move.
    group_.credits.push_back({moved.page, moved.cash.value()});
    if (!moved.history.empty()) restating_.RecordsWereLost();
  }
  const RowSums rows = SumsOf(added).value();
  for (int kind = 0; kind < kVisitKinds; ++kind) books_.by_kind()[kind] += rows.kinds[kind];
  accounting_.Arrived(rows);
  std::move(added.begin(), added.end(), std::back_inserter(group_.moved));
  if (chunk.last) EndArrival(shard, chunk.hosts);
}

void ShardMoves::SenderWasLost(NodeId peer) {
  for (ShardId shard : placements_.arriving()) {
    if (placements_.arriving(shard)->from == peer) EndArrival(shard, "");
  }
}

// What the present group has for pages of the shard was to be sealed for its last owner. From here
// on it is this node's own.
void ShardMoves::EndArrival(ShardId shard, std::string hosts) {
  placements_.EndArrival(shard, std::move(hosts));
  std::vector<std::pair<PageId, PageName>> named;
  for (auto it = group_.named.begin(); it != group_.named.end();) {
    const auto here = it++;
    if (here->first.shard() != shard) continue;
    named.emplace_back(here->first, std::move(here->second));
    group_.named.erase(here);
  }
  std::sort(named.begin(), named.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [page, name] : named) {
    delivery_.AddPage(page, name.url, name.depth, name.referrer);
  }
}

std::vector<ArrivedShard> ShardMoves::TakeArrived() {
  std::vector<ArrivedShard> arrived;
  for (auto& [shard, hosts] : placements_.WithHosts()) {
    if (std::find(arrivals_announced_.begin(), arrivals_announced_.end(), shard) !=
        arrivals_announced_.end()) {
      continue;
    }
    arrivals_announced_.push_back(shard);
    arrived.push_back({shard, std::move(hosts)});
  }
  return arrived;
}

void ShardMoves::HostsApplied(ShardId shard) {
  if (std::erase(arrivals_announced_, shard) == 0) return;  // it has left, and may have come again
  placements_.HostsApplied(shard);
}

// --- What is known of moves.

bool ShardMoves::IsNews(absl::Span<const Placement> announced) const {
  return std::any_of(announced.begin(), announced.end(),
                     [&](const Placement& placement) { return placements_.IsNews(placement); });
}

absl::Status ShardMoves::Learn(absl::Span<const Placement> announced) {
  if (!IsNews(announced)) return absl::OkStatus();
  OPIC_CHECK(group_.empty()) << "a placement is learnt inside a commit group";
  for (const Placement& placement : announced) {
    if (!placements_.IsNews(placement)) continue;
    // A successor may have been right by the map: the shard had left and come back.
    const bool was_wrong = placements_.Owns(placement.shard) && placement.node != charter_.node;
    const bool overtaken = placements_.Overtakes(placement);
    if (was_wrong || overtaken) RETURN_IF_ERROR(Surrender(placement.shard));
    if (overtaken) placements_.GiveUpArrival(placement.shard);
    placements_.Learn(placement);
  }
  // What was announced to the old owners may reach the new ones later than what is sent next.
  delivery_.ForgetAnnounced();
  return absl::OkStatus();
}

// Until the end mark of a departure has arrived, this node is reported as the owner: it is the last
// one that had the whole shard.
std::vector<Placement> ShardMoves::PlacementsSince(uint64_t since) const {
  std::vector<Placement> found = placements_.Since(since);
  if (found.empty()) return found;
  for (const DepartingShard& under_way : peers_.Departing()) {
    const Placement departed{under_way.shard, under_way.to, under_way.move};
    const auto at = std::find(found.begin(), found.end(), departed);
    if (at == found.end()) continue;
    *at = {under_way.shard, charter_.node, under_way.move - 1};
    if (at->move == 0) found.erase(at);
  }
  return found;
}

void ShardMoves::WriteTo(store::Batch& batch) const {
  for (const Departure& departure : group_.departures) {
    if (departure.pages == 0) continue;
    const auto [first, end] = KeysOf(departure.shard);
    batch.DeleteRange(store::Table::kPage, first, end);
    batch.DeleteRange(store::Table::kHistory, first, end);
  }
  for (const MovedPage& moved : group_.moved) {
    batch.Put(store::Table::kPage, KeyOf(moved.page), moved.row);
    if (!moved.history.empty()) {
      batch.Put(store::Table::kHistory, KeyOf(moved.page), moved.history);
    }
  }
  placements_.WriteTo(batch);
  if (!knows_moves_ && peers_.MetAll()) batch.Put(store::Table::kMeta, kMetKey, "");
}

void ShardMoves::Committed() {
  placements_.Committed();
  knows_moves_ |= peers_.MetAll();
}

}  // namespace opic::ledger

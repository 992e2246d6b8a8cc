#include "node/verification.h"

#include <functional>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/disk_failure.h"
#include "base/status_macros.h"
#include "desk/cookie_keeper.h"
#include "desk/robots_cache.h"
#include "ledger/journal.h"
#include "ledger/peer_book.h"
#include "ledger/transfer.h"
#include "node/crawl_memory.h"
#include "node/interest_memory.h"
#include "url/page_id.h"

namespace opic::node {
namespace {

using store::Table;

constexpr uint64_t kRowsPerReport = 4096;

// Calls `take` with every row; tells of an end that is none.
void ForEachRow(store::Store& store, Table table, std::string_view what, Findings& findings,
                const std::function<void(std::string_view key, std::string_view value)>& take) {
  const std::unique_ptr<store::Cursor> rows = store.Scan(table, "");
  for (; rows->Valid(); rows->Next()) take(rows->key(), rows->value());
  if (!rows->status().ok()) {
    findings.Add(absl::StrCat(std::string(what),
                              " cannot be read to their end: ", rows->status().message()));
  }
}

std::string NameOf(PageId page) {
  return absl::StrCat("page ", page.shard().value, "/", page.id());
}

bool IsRefusal(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsFailedPrecondition(status) ||
         base::IsDiskFailure(status);
}

}  // namespace

absl::StatusOr<Verification> Verification::Of(const DataFolder& folder,
                                              const OnProgress& progress) {
  Verification all;
  absl::StatusOr<RestingLedger> opened = RestingLedger::Open(folder);
  if (IsRefusal(opened.status())) return opened.status();
  if (!opened.ok()) {
    all.findings_.Add(std::string(opened.status().message()));
    return all;
  }
  all.opened_ = *std::move(opened);
  all.Read(progress);
  return all;
}

void Verification::Read(const OnProgress& progress) {
  const absl::Status files = opened_->store->CheckFiles([&](uint64_t done, uint64_t bytes) {
    findings_.file_bytes = bytes;
    progress("files", done, bytes);
  });
  if (!files.ok()) findings_.Add(std::string(files.message()));
  const ledger::RecoveryReport& recovery = opened_->ledger->recovery();
  findings_.checkpoints = recovery.checkpoints;
  findings_.journal_records = recovery.records_replayed;
  ReadPages(progress);
  ReadHistory(progress);
  ReadRest();
}

// Nothing of this node's was ever elsewhere, so that its rows say all.
bool Verification::Strict() const {
  return opened_->ledger->placements().changes() == 0 && opened_->ledger->charter().generation == 1;
}

void Verification::ReadPages(const OnProgress& progress) {
  const ledger::Ledger& ledger = *opened_->ledger;
  const page_table::PageTable& table = ledger.books().table();
  const url::UrlHash hash(ledger.charter().shard_by, ledger.charter().shards);
  const uint64_t known = table.totals().pages;
  ForEachRow(*opened_->store, Table::kPage, "the pages", findings_,
             [&](std::string_view key, std::string_view value) {
               if (++findings_.pages % kRowsPerReport == 0)
                 progress("pages", findings_.pages, known);
               const absl::StatusOr<PageId> page = ledger::PageOfKey(key);
               const absl::StatusOr<ledger::PageRow> row = ledger::DecodePageRow(value);
               if (!page.ok()) return findings_.Add(std::string(page.status().message()));
               if (!row.ok())
                 return findings_.Add(NameOf(*page) + " has a row that cannot be read");
               const std::optional<url::Url> url = url::Parse(row->url);
               if (!url || hash.PageOf(*url) != *page) {
                 findings_.Add(NameOf(*page) + " has the row of another URL, " + row->url);
               }
               if (!table.Find(*page))
                 findings_.Add(NameOf(*page) + " (" + row->url + ") is not in the table");
             });
  if (findings_.pages != known) {
    findings_.Add(absl::StrCat(base::Counted(findings_.pages, "page has", "pages have"),
                               " a row, the table has ", known));
  }
}

void Verification::ReadHistory(const OnProgress& progress) {
  const ledger::Ledger& ledger = *opened_->ledger;
  const page_table::PageTable& table = ledger.books().table();
  ledger::KindCounts kinds{};
  uint64_t done = 0;
  cash::Sum ever = 0;
  ForEachRow(*opened_->store, Table::kHistory, "the visits", findings_,
             [&](std::string_view key, std::string_view value) {
               if (++findings_.visited % kRowsPerReport == 0) {
                 progress("visits and links", findings_.visited, findings_.pages);
               }
               const absl::StatusOr<PageId> page = ledger::PageOfKey(key);
               const absl::StatusOr<ledger::HistoryRow> row =
                   ledger::DecodeHistoryRow(value, ledger.window());
               if (!page.ok()) return findings_.Add(std::string(page.status().message()));
               if (!row.ok())
                 return findings_.Add(NameOf(*page) + " has a history row that cannot be read");
               const std::optional<page_table::Page> cell = table.Find(*page);
               if (!cell)
                 return findings_.Add(NameOf(*page) + " was visited and is not in the table");
               done += cell->done;
               ever += row->history.sum;
               ++kinds[static_cast<size_t>(row->kind)];
               ReadLinks(*row, *page);
             });
  if (done != table.totals().done) {
    findings_.Add(absl::StrCat(base::Counted(table.totals().done, "page was", "pages were"),
                               " visited, ", done, " of them have a history"));
  }
  if (kinds != ledger.balances().by_kind) {
    findings_.Add("there are not as many visits of each kind as the journal says");
  }
  if (Strict() && ever != ledger.books().clock()) {
    findings_.Add(absl::StrCat("the visits add up to ", cash::ToString(ever), ", the clock is ",
                               cash::ToString(ledger.books().clock())));
  }
}

// A link and its page are in the same write. But for pages of other nodes, and where shards were
// moved: their pages may be on the way.
void Verification::ReadLinks(const ledger::HistoryRow& row, PageId from) {
  const ledger::Ledger& ledger = *opened_->ledger;
  const bool alone = ledger.charter().birth == 0;
  for (const PageId link : row.links) {
    ++findings_.links;
    if (ledger.books().table().Find(link)) continue;
    if (alone) {
      findings_.Add(NameOf(from) + " has a link to " + NameOf(link) + ", which is not known");
    } else {
      ++findings_.links_elsewhere;
    }
  }
}

void Verification::ReadRest() {
  store::Store& store = *opened_->store;
  const auto tell = [&](std::string_view what, std::string_view key) {
    findings_.Add(absl::StrCat(std::string(what), " \"", std::string(key), "\" cannot be read"));
  };
  ForEachRow(store, Table::kRobots, "the robots.txt verdicts", findings_,
             [&](std::string_view key, std::string_view value) {
               ++findings_.robots;
               if (!desk::RobotsCache::CanRead(value)) tell("the robots.txt verdict of", key);
             });
  ForEachRow(store, Table::kMeta, "what the node remembers", findings_,
             [&](std::string_view key, std::string_view value) {
               if (desk::CookieKeeper::IsKey(key) && !fetch::CookieJar::CanRead(value))
                 tell("the row", key);
               if (key == kInterestKey && !InterestFromRow(value, refresh::kNoFactors).ok())
                 tell("the row", key);
             });
  ForEachRow(store, Table::kPeer, "the peers' books", findings_,
             [&](std::string_view key, std::string_view value) {
               ++findings_.peers;
               const absl::StatusOr<NodeId> peer = ledger::PeerOfKey(key);
               if (!peer.ok()) return findings_.Add(std::string(peer.status().message()));
               if (!ledger::DecodePeerBook(value).ok())
                 findings_.Add(absl::StrCat("the book of node ", peer->value, " cannot be read"));
             });
  ForEachRow(store, Table::kOutbox, "the sealed batches", findings_,
             [&](std::string_view key, std::string_view value) {
               ++findings_.sealed_batches;
               const auto sealed = ledger::SealedOfKey(key);
               if (!sealed.ok()) return findings_.Add(std::string(sealed.status().message()));
               const auto& [peer, sequence] = *sealed;
               if (!ledger::DecodeTransferBatch(value).ok()) {
                 findings_.Add(
                     absl::StrCat("batch ", sequence, " to node ", peer.value, " cannot be read"));
               }
             });
  for (Table table : {Table::kHost, Table::kSpill}) {
    ForEachRow(store, table, "the scheduler's tables", findings_,
               [&](std::string_view, std::string_view) {
                 findings_.Add("the store holds a row of a scheduler");
               });
  }
  const absl::Status memory = RecallCrawl(store).status();
  if (!memory.ok()) findings_.Add(std::string(memory.message()));
}

namespace {

// What `from` sealed for the other one, against what that applied.
void CheckDirection(const ledger::Ledger& from, const ledger::Ledger& to,
                    std::vector<std::string>& problems) {
  const NodeId sender = from.charter().node, receiver = to.charter().node;
  const ledger::PeerBook& ours = from.peers().book(receiver);
  const ledger::PeerBook& theirs = to.peers().book(sender);
  const std::string channel =
      absl::StrCat("the channel from node ", sender.value, " to node ", receiver.value, ": ");
  if (ours.birth != 0 && ours.birth != to.charter().birth) {
    problems.push_back(channel + "it ran to another folder of the receiver");
    return;
  }
  if (theirs.applied > ours.sealed || theirs.applied < ours.acknowledged) {
    problems.push_back(absl::StrCat(channel, "batch ", theirs.applied, " was applied, of ",
                                    ours.sealed, " that were sealed and ", ours.acknowledged,
                                    " acknowledged"));
    return;
  }
  cash::Sum passed = ours.acknowledged_cash;
  for (const ledger::Retained& batch : from.peers().retained(receiver)) {
    if (batch.sequence > ours.acknowledged && batch.sequence <= theirs.applied)
      passed += batch.cash;
  }
  if (passed != theirs.applied_cash) {
    problems.push_back(absl::StrCat(channel, cash::ToString(passed), " units left up to batch ",
                                    theirs.applied, ", ", cash::ToString(theirs.applied_cash),
                                    " arrived"));
  }
}

bool Met(const ledger::Ledger& one, const ledger::Ledger& other) {
  return one.peers().Has(other.charter().node);
}

}  // namespace

std::vector<std::string> CheckChannels(const ledger::Ledger& one, const ledger::Ledger& other) {
  std::vector<std::string> problems;
  if (one.charter().cluster_id != other.charter().cluster_id) {
    problems.push_back("the folders are of different clusters");
  } else if (one.charter().node == other.charter().node) {
    problems.push_back(absl::StrCat("two folders are of the same node ", one.charter().node.value));
  } else if (Met(one, other) && Met(other, one)) {
    CheckDirection(one, other, problems);
    CheckDirection(other, one, problems);
  }
  return problems;
}

}  // namespace opic::node

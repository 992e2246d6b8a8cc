#include "ledger/ledger.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ledger/reading.h"

namespace opic::ledger {
namespace {

constexpr size_t kToldPages = 1 << 18;  // 2 MB

std::vector<std::string> KeysOf(absl::Span<const PageId> pages) {
  std::vector<std::string> keys;
  keys.reserve(pages.size());
  for (PageId page : pages) keys.push_back(KeyOf(page));
  return keys;
}

}  // namespace

Ledger::Ledger(const Options& options, store::Store& store, const Charter& charter)
    : options_(options),
      store_(store),
      charter_(charter),
      window_(charter.window),
      books_(charter.shards, charter.supply, charter.genesis),
      peers_(charter.node, options.nodes, charter.cluster_id, options.batch_bytes_max,
             charter.method),
      view_(books_, peers_),
      accounting_(MakeAccounting(
          charter, {options.nodes, options.unread_share, options.instalment_pages_max}, view_)),
      placements_(charter.node, charter.shards, options.owner),
      told_(options.nodes > 1 ? kToldPages : 0),
      charter_outdated_(charter.format_version != kFormatVersion),
      knows_moves_(charter.generation == 1 || options.nodes <= 1),
      backlog_(charter.shards, {options.shard_journal_bytes_min, options.journal_bytes_max,
                                options.checkpoint_shards_max}) {}

// Pages of peers are told to their owners; their own node pays them.
void Ledger::Seed(absl::Span<const Link> pages) {
  const size_t found = Discover(pages, std::nullopt, 0);
  const uint64_t known = books_.table().totals().pages + group_.discovered.size();
  if (found == 0 || known == 0) return;
  const cash::Amount each = accounting_->SeedShare(known);
  for (page_table::Credit& credit : absl::MakeSpan(group_.credits).last(found)) {
    if (!Own(credit.page)) continue;
    books_.TakeFromVirtualPage(each);
    credit.amount += each;
  }
}

// A link to an unknown page is a discovery, however small its share: its row is written with the
// group, and its credit is in the journal even when it is of no cash.
size_t Ledger::Discover(absl::Span<const Link> links, std::optional<PageId> from, uint32_t depth) {
  size_t found = 0;
  for (const Link& link : links) {
    if (link.page == from) continue;
    found +=
        Own(link.page) ? AddPage(link.page, link.url, depth) : TellPage(link.page, link.url, depth);
  }
  return found;
}

// False: known already.
bool Ledger::AddPage(PageId page, const std::string& url, uint32_t depth) {
  if (books_.table().Find(page)) return false;
  const auto [row, added] = group_.discovered.try_emplace(page, PageRow{url, depth});
  if (!added && row->second.url != url) ++collisions_;
  if (!added) return false;
  const cash::Amount base =
      accounting_->Born(row->second, cluster_pages() + group_.discovered.size() - 1) +
      held_.Take(page);
  books_.TakeFromVirtualPage(base);
  group_.credits.push_back({page, base});
  return true;
}

// A page of a peer: its owner hears of it, however small its share. False: it was told before.
bool Ledger::TellPage(PageId page, const std::string& url, uint32_t depth) {
  if (told_.Tell(page)) return false;
  if (!group_.named.try_emplace(page, Name{url, depth}).second) return false;
  group_.credits.push_back({page, cash::Amount()});
  return true;
}

absl::StatusOr<Receipt> Ledger::Receive(const TransferBatch& batch) {
  const auto refuse = [&](absl::string_view why) {
    return absl::FailedPreconditionError(
        absl::StrCat("batch ", batch.sequence, " of node ", batch.from.value, " ", why));
  };
  if (batch.cluster_id != charter_.cluster_id) return refuse("is of another cluster");
  if (batch.to != charter_.node || !peers_.Has(batch.from)) return refuse("is for another node");
  const PeerBook& book = peers_.working(batch.from);
  if (batch.sequence <= book.applied) return Receipt::kRepeated;
  if (batch.sequence > book.applied + 1) return Receipt::kAhead;
  if (batch.cash_before != book.applied_cash) {
    return refuse(absl::StrCat("begins at the sum ", cash::ToString(batch.cash_before),
                               ", here it stands at ", cash::ToString(book.applied_cash)));
  }
  const cash::Sum carried = batch.Carried();
  if (batch.cash_after != batch.cash_before + carried)
    return refuse("carries another sum than it says");
  if (const absl::Status sound = accounting_->Check(batch); !sound.ok()) {
    return refuse(sound.message());
  }
  for (const Transfer& transfer : batch.transfers) {
    if (transfer.page.shard().value >= charter_.shards)
      return refuse(absl::StrCat("names shard ", transfer.page.shard().value,
                                 ", which does not exist: the cluster has ", charter_.shards));
  }
  if (batch.consignment) {
    const absl::Status sound = CheckConsignment(batch.from, *batch.consignment);
    if (!sound.ok()) return refuse(sound.message());
  }
  CountUnderWay(batch);
  peers_.Applied(batch);
  peers_.Hear(batch.from, batch.news);
  books_.Received(carried);
  books_.PayVirtualPage(batch.to_virtual_page);
  if (batch.consignment) TakeConsignment(batch.from, *batch.consignment);
  for (const Transfer& transfer : batch.transfers) Take(transfer);
  return Receipt::kTaken;
}

void Ledger::Take(const Transfer& transfer) {
  const PageId page = transfer.page;
  if (!Own(page)) {
    // The map was another one when it was sealed. It is posted on with what it brought.
    ++forwarded_;
    if (!transfer.url.empty()) group_.named.try_emplace(page, Name{transfer.url, transfer.depth});
    group_.credits.push_back({page, transfer.amount});
    return;
  }
  if (!transfer.url.empty()) AddPage(page, transfer.url, transfer.depth);
  if (transfer.amount.units() == 0) return;
  if (books_.table().Find(page) || group_.discovered.contains(page)) {
    group_.credits.push_back({page, transfer.amount});
    return;
  }
  PayUnnamed(page, transfer.amount);
}

void Ledger::PayUnnamed(PageId page, cash::Amount amount) {
  if (amount.units() != 0) ++unnamed_;
  if (accounting_->HoldsUnnamed()) held_.Hold(page, amount);
  books_.PayVirtualPage(amount);
}

absl::Status Ledger::Acknowledge(NodeId peer, uint64_t sequence) {
  return peers_.Acknowledge(peer, sequence);
}

absl::Status Ledger::BeginAnew(NodeId peer, uint32_t generation) {
  if (peers_.working(peer).generation == generation) return absl::OkStatus();
  RETURN_IF_ERROR(peers_.BeginAnew(peer, generation, store_));
  told_.Clear();  // the new folder knows no page
  SetRestateDue(true);
  // The rest of what was arriving from the lost folder will never come.
  for (ShardId shard : placements_.arriving()) {
    if (placements_.arriving(shard)->from == peer) EndArrival(shard, "");
  }
  return absl::OkStatus();
}

void Ledger::PayVirtualShare(NodeId peer) {
  const cash::Amount share = accounting_->OwedTo(peer);
  if (share.units() == 0) return;
  accounting_->PaidTo(peer, share);
  books_.TakeFromVirtualPage(share);
  peers_.AddVirtualShare(peer, share);
}

void Ledger::ShareVirtualPage(absl::FunctionRef<bool(NodeId)> reachable) {
  accounting_->ShareVirtualPage();
  for (uint16_t n = 0; n < options_.nodes; ++n) {
    if (peers_.Has(NodeId{n}) && reachable(NodeId{n})) PayVirtualShare(NodeId{n});
  }
}

absl::StatusOr<std::string> Ledger::SealedBytes(NodeId to, uint64_t sequence) const {
  ASSIGN_OR_RETURN(std::optional<std::string> bytes,
                   store_.Get(store::Table::kOutbox, KeyOfSealed(to, sequence)));
  if (!bytes) return absl::NotFoundError("the batch is not in the outbox");
  // What is damaged here must not look like the fault of who receives it, or of the way there.
  if (!DecodeTransferBatch(*bytes).ok()) {
    return absl::DataLossError(absl::StrCat("batch ", sequence, " to node ", to.value,
                                            " is damaged in the outbox; restore the data folder "
                                            "from a backup, or declare it lost"));
  }
  return *std::move(bytes);
}

NodeNews Ledger::News() const {
  const page_table::Totals totals = books_.table().totals();
  NodeNews news;
  news.clock = books_.clock();
  news.table = totals.cash;
  news.virtual_page = books_.virtual_page();
  news.pages = totals.pages;
  news.unread = totals.pages - totals.done;
  accounting_->AddTo(news);
  return news;
}

void Ledger::EnterEpoch(uint64_t epoch) {
  OPIC_CHECK(group_.empty() && !peers_.dirty()) << "an epoch begins inside a commit group";
  OPIC_CHECK(epoch > cut_.epoch) << "an epoch that is not later";
  const page_table::Totals totals = books_.table().totals();
  cut_ = Cut();
  cut_.epoch = epoch;
  cut_.log_number = log_number_;
  cut_.pages = totals.pages;
  cut_.unread = totals.pages - totals.done;
  cut_.genesis = charter_.genesis.units();
  cut_.virtual_page = books_.virtual_page().units();
  cut_.clock = books_.clock();
  page_table::Cursor cursor;
  bool whole = false;
  while (!whole) {
    whole = books_.table().Walk(cursor, 1 << 20, [&](const page_table::Page& page) {
      cut_.table += page.cash.value().units();
    });
  }
  for (uint16_t n = 0; n < options_.nodes; ++n) {
    if (!peers_.Has(NodeId{n})) continue;
    const std::deque<Retained>& retained = peers_.retained(NodeId{n});
    cut_.channels.push_back(
        {NodeId{n}, peers_.working(NodeId{n}), {retained.begin(), retained.end()}});
  }
  if (restating_ && !restating_->begun()) BeginRestating();
}

absl::StatusOr<std::vector<PageRow>> Ledger::PageRowsOf(absl::Span<const PageId> pages) const {
  std::vector<std::optional<std::string>> values;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, KeysOf(pages), &values));
  std::vector<PageRow> rows(pages.size());
  for (size_t i = 0; i < pages.size(); ++i) {
    if (!values[i]) return absl::DataLossError("a page of the table has no row in the store");
    ASSIGN_OR_RETURN(rows[i], DecodePageRow(*values[i]));
  }
  return rows;
}

absl::Status Ledger::OpenRows(absl::Span<const PageId> pages, absl::Span<const PageRow> names) {
  std::vector<size_t> absent;
  std::vector<std::string> keys;
  for (size_t i = 0; i < pages.size(); ++i) {
    if (group_.rows.contains(pages[i])) continue;
    absent.push_back(i);
    keys.push_back(KeyOf(pages[i]));
  }
  std::vector<std::optional<std::string>> values;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &values));
  std::vector<HistoryRow> rows(absent.size());
  for (size_t k = 0; k < absent.size(); ++k) {
    if (values[k]) {
      ASSIGN_OR_RETURN(rows[k], DecodeHistoryRow(*values[k], window_));
    } else if (names.empty()) {
      return absl::DataLossError("a visited page has no history in the store");
    } else {
      rows[k].history = accounting_->Unvisited(names[absent[k]]);
    }
  }
  for (size_t k = 0; k < absent.size(); ++k) {
    group_.rows.try_emplace(pages[absent[k]], std::move(rows[k]));
  }
  return absl::OkStatus();
}

void Ledger::CountKind(const HistoryRow& row, VisitKind now) {
  if (row.visits > 0) --books_.by_kind()[static_cast<int>(row.kind)];
  ++books_.by_kind()[static_cast<int>(now)];
}

void Ledger::Pay(PageId page, HistoryRow& row, absl::Span<const PageId> before, bool settled) {
  const cash::Amount taken = books_.TakeForVisit(page);
  ++row.visits;
  const size_t paid_before = group_.credits.size();
  books_.PayVirtualPage(accounting_->Visit(row, before, taken, group_.credits));
  for (size_t i = paid_before; i < group_.credits.size(); ++i) {
    ++(Own(group_.credits[i].page) ? links_.own : links_.away);
  }
  group_.visits.push_back({page, row.kind, settled, taken});
}

void Ledger::RecordOne(const Visit& visit, uint32_t depth) {
  HistoryRow& row = group_.rows.at(visit.page);
  const std::vector<PageId> before = row.links;
  const HistoryRow read = RowAfter(visit, row, accounting_->ConfirmsLosses());
  CountKind(row, read.kind);
  row = read;
  if (visit.at != 0) group_.fetched = true;
  Discover(visit.links, visit.page, depth + 1);
  Pay(visit.page, row, before, /*settled=*/false);
  if (!charter_.keep_links) row.links.clear();
  books_.table().SetDone(visit.page, true);
  // In a record visits come before reopening: what was reopened before this visit is done again.
  if (!group_.reopened.empty()) std::erase(group_.reopened, visit.page);
}

absl::Status Ledger::Record(absl::Span<const Visit> visits) {
  if (visits.empty()) return absl::OkStatus();
  std::vector<PageId> pages;
  for (const Visit& visit : visits) {
    OPIC_CHECK(books_.table().Find(visit.page).has_value()) << "a visit of an unknown page";
    pages.push_back(visit.page);
  }
  ASSIGN_OR_RETURN(const std::vector<PageRow> names, PageRowsOf(pages));
  RETURN_IF_ERROR(OpenRows(pages, names));
  for (size_t i = 0; i < visits.size(); ++i) RecordOne(visits[i], names[i].depth);
  return absl::OkStatus();
}

absl::Status Ledger::Settle(absl::Span<const PageId> pages) {
  for (PageId page : pages) {
    const std::optional<page_table::Page> known = books_.table().Find(page);
    OPIC_CHECK(known && known->done) << "settling a page that is not done";
  }
  RETURN_IF_ERROR(OpenRows(pages, {}));
  for (PageId page : pages) {
    HistoryRow& row = group_.rows.at(page);
    Pay(page, row, row.links, /*settled=*/true);
  }
  settled_ += pages.size();
  return absl::OkStatus();
}

size_t Ledger::Correct(absl::Span<const Drift> drifts) {
  size_t elsewhere = 0;
  for (const Drift& drift : drifts) {
    const cash::Amount excess(static_cast<int64_t>(drift.amount));
    if (!Own(drift.page)) {
      ++elsewhere;
    } else if (books_.table().Find(drift.page) || group_.discovered.contains(drift.page)) {
      books_.PayVirtualPage(excess);
      group_.credits.push_back({drift.page, cash::Amount() - excess});
    } else {
      held_.Hold(drift.page, cash::Amount() - excess);
    }
  }
  return elsewhere;
}

void Ledger::Reopen(absl::Span<const PageId> pages) {
  for (PageId page : pages) {
    books_.table().SetDone(page, false);
    group_.reopened.push_back(page);
  }
}

}  // namespace opic::ledger

#include "tests/simulation/cluster_bookkeeper.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace opic {

ClusterBookkeeper::ClusterBookkeeper(uint16_t nodes, cash::Amount supply)
    : supply_(supply), nodes_(nodes), channels_(size_t{nodes} * nodes) {
  nodes_[0].held = supply.units();
}

void ClusterBookkeeper::Look(uint16_t n, const ledger::Ledger& ledger, store::Store& rows) {
  cash::Sum held = ledger.books().virtual_page().units();
  nodes_[n].pages.clear();
  page_table::Cursor cursor;
  ledger.books().table().Walk(cursor, ~uint64_t{0} >> 1, [&](const page_table::Page& page) {
    held += page.cash.value().units();
    nodes_[n].pages.insert(page.page);
    ever_.insert(page.page);
  });
  nodes_[n].held = held;
  if (nodes_[n].disputed) gone_.insert(nodes_[n].pages.begin(), nodes_[n].pages.end());
  ReadGenerations(n, rows);
  ReadOutbox(n, rows);
  ReadBooks(n, rows);
  CheckRows(n, rows);
}

void ClusterBookkeeper::CheckRows(uint16_t n, store::Store& rows) const {
  std::set<PageId> named;
  for (const auto row = rows.Scan(store::Table::kPage, ""); row->Valid(); row->Next()) {
    named.insert(ledger::PageOfKey(row->key()).value());
  }
  EXPECT_TRUE(named == nodes_[n].pages) << "node " << n << " has " << named.size() << " rows and "
                                        << nodes_[n].pages.size() << " pages";
  for (const auto row = rows.Scan(store::Table::kHistory, ""); row->Valid(); row->Next()) {
    EXPECT_TRUE(named.contains(ledger::PageOfKey(row->key()).value()))
        << "node " << n << " has a history of a page that it does not know";
  }
}

void ClusterBookkeeper::CheckPlaces() const {
  if (!lossless_) return;
  std::map<PageId, int> places;
  for (const Node& node : nodes_) {
    for (PageId page : node.pages) ++places[page];
  }
  for (const Channel& channel : channels_) {
    for (uint64_t i = channel.applied; i < channel.sealed.size(); ++i) {
      if (!channel.in_outbox[i] || !channel.sealed[i].chunk) continue;
      for (const ledger::MovedPage& moved : channel.sealed[i].chunk->pages) {
        ++places[moved.page];
      }
    }
  }
  EXPECT_EQ(places.size(), ever_.size()) << "a page was lost or made";
  for (const auto& [page, count] : places) {
    EXPECT_EQ(count, 1) << "page " << page.word() << " is in several places";
  }
}

void ClusterBookkeeper::ReadOutbox(uint16_t n, store::Store& rows) {
  for (uint16_t to = 0; to < nodes_.size(); ++to) {
    std::fill(ChannelOf(n, to).in_outbox.begin(), ChannelOf(n, to).in_outbox.end(), false);
  }
  for (const auto row = rows.Scan(store::Table::kOutbox, ""); row->Valid(); row->Next()) {
    const auto key = ledger::SealedOfKey(row->key());
    const auto batch = ledger::DecodeTransferBatch(row->value());
    ASSERT_TRUE(key.ok() && batch.ok()) << "a damaged row in the outbox";
    const auto& [to, sequence] = *key;
    Channel& channel = ChannelOf(n, to.value);
    if (channel.disputed) {
      NamesAreLost(*batch);
      continue;
    }
    ASSERT_LE(sequence, channel.sealed.size() + 1) << "a gap in the outbox to " << to.value;
    if (sequence == channel.sealed.size() + 1) {
      channel.sealed.push_back(*batch);
      channel.bytes.emplace_back(row->value());
      channel.in_outbox.push_back(true);
      continue;
    }
    channel.in_outbox[sequence - 1] = true;
    EXPECT_TRUE(channel.bytes[sequence - 1] == row->value())
        << "batch " << sequence << " from " << n << " to " << to.value << " was sealed anew";
  }
}

void ClusterBookkeeper::ReadBooks(uint16_t n, store::Store& rows) {
  for (const auto row = rows.Scan(store::Table::kPeer, ""); row->Valid(); row->Next()) {
    const auto peer = ledger::PeerOfKey(row->key());
    const auto book = ledger::DecodePeerBook(row->value());
    ASSERT_TRUE(peer.ok() && book.ok()) << "a damaged book";
    Channel& channel = ChannelOf(peer->value, n);
    if (channel.disputed) continue;
    ASSERT_GE(book->applied, channel.applied)
        << "node " << n << " forgot batches of " << peer->value;
    ASSERT_LE(book->applied, channel.sealed.size())
        << "node " << n << " applied a batch that " << peer->value << " does not have on disk";
    channel.applied = book->applied;
    cash::Sum passed = 0;
    for (uint64_t i = 0; i < book->applied; ++i) {
      const ledger::TransferBatch& batch = channel.sealed[i];
      passed += batch.to_virtual_page.units();
      for (const ledger::Transfer& transfer : batch.transfers) passed += transfer.amount.units();
      if (!batch.chunk) continue;
      for (const ledger::MovedPage& moved : batch.chunk->pages) {
        passed += moved.cash.value().units();
      }
    }
    EXPECT_TRUE(passed == book->applied_cash) << "node " << n << " has another sum of what it got";
  }
}

void ClusterBookkeeper::CheckSum() const {
  cash::Sum total = 0;
  for (const Node& node : nodes_) {
    if (node.disputed) return;
    total += node.held;
  }
  for (const Channel& channel : channels_) total += UnderWay(channel);
  EXPECT_EQ(cash::ToString(total), cash::ToString(supply_.units())) << "cash was lost or made";
}

void ClusterBookkeeper::CheckQuiet() const {
  for (const Channel& channel : channels_) EXPECT_EQ(channel.applied, channel.sealed.size());
}

void ClusterBookkeeper::CheckPages(PageId page, uint16_t owner, const std::string& url,
                                   uint16_t node, const ledger::Ledger& ledger,
                                   store::Store& rows) const {
  const bool known = ledger.books().table().Find(page).has_value();
  if (known || !gone_.contains(page)) {
    EXPECT_EQ(known, node == owner)
        << "page " << url << " of node " << owner << " at node " << node;
  }
  if (!known || node != owner) return;
  const auto value = rows.Get(store::Table::kPage, ledger::KeyOf(page));
  ASSERT_TRUE(value.ok() && value->has_value()) << "page " << url << " has no name";
  EXPECT_EQ(ledger::DecodePageRow(**value)->url, url);
}

uint64_t ClusterBookkeeper::applied() const {
  uint64_t applied = 0;
  for (const Channel& channel : channels_) applied += channel.applied;
  return applied;
}

}  // namespace opic

// What the naive bookkeeper makes of folders that are lost, or disputed.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/simulation/cluster_bookkeeper.h"

namespace opic {
namespace {

// Of two batches, all but their places in their channels.
bool CarryTheSame(const ledger::TransferBatch& a, const ledger::TransferBatch& b) {
  const auto same = [](const ledger::Transfer& x, const ledger::Transfer& y) {
    return x.page == y.page && x.amount == y.amount && x.url == y.url && x.depth == y.depth;
  };
  return a.to_virtual_page == b.to_virtual_page && a.chunk == b.chunk &&
         std::equal(a.transfers.begin(), a.transfers.end(), b.transfers.begin(), b.transfers.end(),
                    same);
}

}  // namespace

void ClusterBookkeeper::Lose(uint16_t n) {
  lossless_ = false;
  Node& node = nodes_[n];
  node.lost = true;
  gone_.insert(node.pages.begin(), node.pages.end());
  node.pages.clear();
}

void ClusterBookkeeper::Dispute(uint16_t n) {
  lossless_ = false;
  nodes_[n].disputed = true;
  gone_.insert(nodes_[n].pages.begin(), nodes_[n].pages.end());
  for (uint16_t peer = 0; peer < nodes_.size(); ++peer) {
    NamesUnderWayAreLost(ChannelOf(n, peer));
    ChannelOf(n, peer).disputed = ChannelOf(peer, n).disputed = true;
  }
}

void ClusterBookkeeper::BeginChannel(uint16_t from, uint16_t to) {
  NamesUnderWayAreLost(ChannelOf(from, to));
  ChannelOf(from, to) = Channel();
  ChannelOf(from, to).disputed = nodes_[from].disputed || nodes_[to].disputed;
}

void ClusterBookkeeper::Born(uint16_t n, const ledger::Ledger& ledger, store::Store& rows) {
  Node& node = nodes_[n];
  EXPECT_TRUE(node.lost) << "node " << n << " has a successor and was not lost";
  node.lost = node.disputed = false;
  node.generation = ledger.charter().generation;
  // Those that were lost with it ended nothing. What was under way between them is in what they
  // are born with, all together.
  for (uint16_t p = 0; p < nodes_.size(); ++p) {
    if (p == n) continue;
    BeginChannel(n, p);
    node.generations[p] = nodes_[p].generation;
    uint32_t& known = nodes_[p].generations[n];
    if (nodes_[p].lost || known != node.generation) BeginChannel(p, n);
    known = node.generation;
  }
  Look(n, ledger, rows);
}

cash::Sum ClusterBookkeeper::UnderWay(const Channel& channel) {
  cash::Sum sum = 0;
  for (uint64_t i = channel.applied; i < channel.sealed.size(); ++i) {
    if (channel.in_outbox[i]) sum += channel.sealed[i].Carried();
  }
  return sum;
}

void ClusterBookkeeper::ReadGenerations(uint16_t n, store::Store& rows) {
  std::set<uint16_t> ended;
  for (const auto row = rows.Scan(store::Table::kPeer, ""); row->Valid(); row->Next()) {
    const auto peer = ledger::PeerOfKey(row->key());
    const auto book = ledger::DecodePeerBook(row->value());
    ASSERT_TRUE(peer.ok() && book.ok()) << "a damaged book";
    uint32_t& known = nodes_[n].generations.try_emplace(peer->value, 1).first->second;
    if (book->generation > known) ended.insert(peer->value);
    known = std::max(known, book->generation);  // one that was never met has the first
  }
  if (!nodes_[n].disputed) EndChannels(n, ended, rows);  // else they end when it is lost
}

void ClusterBookkeeper::EndChannels(uint16_t n, const std::set<uint16_t>& peers,
                                    store::Store& rows) {
  std::map<uint16_t, Channel> from, to;
  for (uint16_t peer : peers) {
    EXPECT_TRUE(nodes_[peer].lost) << "node " << n << " ended its channel to " << peer;
    from[peer] = std::exchange(ChannelOf(peer, n), Channel());
    to[peer] = std::exchange(ChannelOf(n, peer), Channel());
  }
  if (!peers.empty()) ReadOutbox(n, rows);
  for (uint16_t peer : peers) {
    NamesUnderWayAreLost(from[peer]);
    if (to[peer].disputed) continue;  // so the lost folder was
    CheckSealedAnew(to[peer], ChannelOf(n, peer));
    nodes_[peer].held += UnderWay(from[peer]) + UnderWay(to[peer]) - UnderWay(ChannelOf(n, peer));
  }
}

// The last ones of `before`, and all that were not applied among them.
void ClusterBookkeeper::CheckSealedAnew(const Channel& before, const Channel& anew) const {
  ASSERT_LE(anew.sealed.size(), before.sealed.size()) << "more was sealed anew than there was";
  const uint64_t left = before.sealed.size() - anew.sealed.size();
  EXPECT_LE(left, before.applied) << "a batch that nobody has applied was not sealed anew";
  for (uint64_t i = left; i < before.sealed.size(); ++i) {
    EXPECT_TRUE(CarryTheSame(before.sealed[i], anew.sealed[i - left]))
        << "batch " << i + 1 << " became another one";
  }
}

void ClusterBookkeeper::NamesAreLost(const ledger::TransferBatch& batch) {
  for (const ledger::Transfer& transfer : batch.transfers) {
    if (!transfer.url.empty()) gone_.insert(transfer.page);
  }
  if (!batch.chunk) return;
  for (const ledger::MovedPage& moved : batch.chunk->pages) gone_.insert(moved.page);
}

void ClusterBookkeeper::NamesUnderWayAreLost(const Channel& channel) {
  for (uint64_t i = channel.applied; i < channel.sealed.size(); ++i) {
    if (channel.in_outbox[i]) NamesAreLost(channel.sealed[i]);
  }
}

bool ClusterBookkeeper::IsSettled() const {
  return std::none_of(nodes_.begin(), nodes_.end(),
                      [](const Node& node) { return node.lost || node.disputed; });
}

// Whom a node tells it may have told before, and believes that the owner knows the page since.
void ClusterBookkeeper::Discovered(uint16_t n, PageId page, const std::string& url) {
  discovered_.emplace(page, url);
  if (nodes_[n].disputed) {
    gone_.insert(page);
  } else if (IsSettled()) {
    gone_.erase(page);
  }
}

}  // namespace opic

// Three ledgers whose shards move between them; the test delivers each batch.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "ledger/ledger.h"
#include "tests/support/crashing_store.h"
#include "tests/support/small_crawl.h"

namespace opic::ledger {

inline constexpr ShardId kShard{0};  // of pages 0, 4, 8, ...
inline constexpr NodeId kA{0}, kB{1}, kC{2};

// Node n owns shard n; the last of the four shards is node 0's too.
inline NodeId ByMap(ShardId shard) { return NodeAt(shard.value % 3); }

// What is known of a page, to the byte.
struct Known {
  uint32_t cell = 0;
  bool done = false;
  std::string row, history;
  friend bool operator==(const Known&, const Known&) = default;
};

using Pages = std::map<PageId, Known>;

class MovingLedgers : public testing::Test {
 protected:
  explicit MovingLedgers(importance::Method method = importance::Method::kWindow)
      : method_(method) {
    for (uint16_t n = 0; n < 3; ++n) Open(NodeId{n});
  }

  void Open(NodeId node) {
    Options options;
    options.owner = ByMap;
    options.nodes = 3;
    options.referrers = referrers_[node.value];
    options.batch_bytes_max = batch_bytes_max_;
    options.departure_outbox_bytes_max = backlog_max_;
    options.checkpoint_folder = FreshCheckpoints(node);
    Charter charter = SmallCrawl::Charter();
    charter.node = node;
    charter.generation = generation_[node.value];
    charter.genesis = node == kA ? cash::kSupply : cash::Amount();
    charter.lost = lost_[node.value];
    charter.method = method_;
    if (method_ == importance::Method::kPush) {
      charter.window.kind = importance::WindowKind::kNone;
      charter.base = cash::Amount(60);  // cells of a few thousand units are exact
    }
    ledgers_[node.value].reset();
    auto ledger = Ledger::Open(options, *stores_[node.value], &charter);
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    ledgers_[node.value] = *std::move(ledger);
  }
  std::string FreshCheckpoints(NodeId node) {
    if (folder_.empty()) folder_ = FreshCheckpointFolder();
    std::filesystem::create_directories(folder_);
    return folder_ + "/" + std::to_string(node.value);
  }
  Ledger& at(NodeId node) { return *ledgers_[node.value]; }
  void Commit(NodeId node) { ASSERT_TRUE(at(node).Commit().ok()); }

  TransferBatch Next(NodeId from, NodeId to) {
    const uint64_t sequence = at(to).peers().book(from).applied + 1;
    return DecodeTransferBatch(at(from).SealedBytes(to, sequence).value()).value();
  }
  uint64_t Waiting(NodeId from, NodeId to) {
    return at(from).peers().book(to).sealed - at(to).peers().book(from).applied;
  }
  // One batch arrives and is acknowledged.
  void DeliverOne(NodeId from, NodeId to) {
    ASSERT_EQ(at(to).Receive(Next(from, to)).value(), Receipt::kTaken);
    Commit(to);
    ASSERT_TRUE(at(from).Acknowledge(to, at(to).peers().book(from).applied).ok());
  }
  void Deliver(NodeId from, NodeId to) {
    while (Waiting(from, to) > 0 && !HasFatalFailure()) DeliverOne(from, to);
  }
  void DeliverAll() {
    for (int round = 0; round < 6; ++round) {
      for (NodeId from : {kA, kB, kC}) {
        for (NodeId to : {kA, kB, kC}) {
          if (from != to) Deliver(from, to);
        }
      }
    }
  }
  void TellPlacements(NodeId from, NodeId to) {
    Commit(to);
    ASSERT_TRUE(at(to).moves().Learn(at(from).moves().PlacementsSince(0)).ok());
    Commit(to);
  }
  // The caller takes over the hosts of what has arrived.
  void TakeHosts(NodeId node) {
    for (const ArrivedShard& arrived : at(node).moves().TakeArrived())
      at(node).moves().HostsApplied(arrived.shard);
    Commit(node);
  }
  void Move(NodeId from, NodeId to) {
    ASSERT_TRUE(at(from).moves().Depart(kShard, to, "hosts").ok());
    Commit(from);
    Deliver(from, to);
    TakeHosts(to);
  }

  // Pages 0 and 4 are read and link to each other and to pages elsewhere; page 8 is unread.
  void Crawl() {
    at(kA).Seed(SmallCrawl::Links({0, 4, 8}));
    Commit(kA);
    ASSERT_TRUE(
        at(kA).Record({SmallCrawl::Fetched(0, {4, 1, 2}), SmallCrawl::Fetched(4, {0, 8})}).ok());
    Commit(kA);
    ASSERT_TRUE(at(kA).Settle({SmallCrawl::Page(0)}).ok());
    Commit(kA);
    DeliverAll();
  }
  // The shard has left A for B, where the first of its batches has arrived.
  void MoveHalf(const std::string& hosts = "") {
    batch_bytes_max_ = 60;
    Open(kA);
    Crawl();
    ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, hosts).ok());
    Commit(kA);
    DeliverOne(kA, kB);
  }
  // An operator's act (opic cluster declare-lost): the folder is gone, the others are told, and an
  // empty one takes its place with what they say of its channels.
  void Lose(NodeId node) {
    lost_[node.value].clear();
    ++generation_[node.value];
    for (NodeId peer : {kA, kB, kC}) {
      if (peer == node) continue;
      ASSERT_TRUE(at(peer).BeginAnew(node, generation_[node.value]).ok());
      Commit(peer);
      const PeerBook& book = at(peer).peers().book(node);
      lost_[node.value].push_back(
          {peer, book.closed_sealed_cash, book.closed_applied_cash, book.sums.clock});
    }
    stores_[node.value] = std::make_unique<CrashingStore>();
    folder_ += "-later";
    Open(node);
  }
  Pages PagesAt(NodeId node) {
    Pages found;
    page_table::Cursor cursor;
    at(node).books().table().Walk(cursor, 1 << 30, [&](const page_table::Page& page) {
      if (page.page.shard() != kShard) return;
      found[page.page] = {page.cash.bits(), page.done, Row(node, store::Table::kPage, page.page),
                          Row(node, store::Table::kHistory, page.page)};
    });
    return found;
  }
  std::string Row(NodeId node, store::Table table, PageId page) {
    return stores_[node.value]->Get(table, KeyOf(page)).value().value_or("");
  }
  uint64_t RowsAt(NodeId node) {
    uint64_t rows = 0;
    for (store::Table table : {store::Table::kPage, store::Table::kHistory}) {
      for (auto row = stores_[node.value]->Scan(table, ""); row->Valid(); row->Next()) {
        rows += PageOfKey(row->key())->shard() == kShard;
      }
    }
    return rows;
  }
  bool Knows(NodeId node, uint64_t page) {
    return at(node).books().table().Find(SmallCrawl::Page(page)).has_value();
  }
  cash::Sum Total() {
    cash::Sum total = 0;
    for (NodeId node : {kA, kB, kC}) {
      total += at(node).books().table().totals().cash + at(node).books().virtual_page().units();
      for (NodeId to : {kA, kB, kC}) {
        if (to == node) continue;
        for (const Retained& batch : at(node).peers().retained(to)) {
          if (batch.sequence > at(to).peers().book(node).applied) total += batch.cash;
        }
      }
    }
    return total;
  }
  static absl::StatusCode CodeOf(const absl::Status& status) { return status.code(); }

  const importance::Method method_;
  size_t batch_bytes_max_ = 1 << 20;
  uint64_t backlog_max_ = 1 << 20;
  bool referrers_[3] = {};
  uint32_t generation_[3] = {1, 1, 1};
  std::vector<LostChannel> lost_[3];
  std::string folder_;
  std::unique_ptr<CrashingStore> stores_[3] = {std::make_unique<CrashingStore>(),
                                               std::make_unique<CrashingStore>(),
                                               std::make_unique<CrashingStore>()};
  std::unique_ptr<Ledger> ledgers_[3];
};

}  // namespace opic::ledger

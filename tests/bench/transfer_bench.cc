// opic-modules: cluster ledger store page_table cash base
// Transfers between two nodes in one process and on one thread, durable at both ends before they
// are acknowledged (docs/design.md section 5), with stores in memory and on RocksDB:
//
//     transfer_bench [--pages=50000] [--links=60] [--group=512] [--visits=50000] [--folder=/tmp]
//
// First every page of node 1 is told by URL. Then the pages of node 0 are visited once, each with
// links to `links` uniformly random pages of node 1, the worst case; then `visits` of them are
// settled, in groups of `group`, each one synced write at either end. A credit is what one visit
// pays to one page; those of a group to the same page travel as one transfer. The time of each node
// is told apart, since each has a processor of its own: the slower one sets the rate.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "cluster/exchange.h"
#include "tests/support/memory_store.h"

namespace opic::cluster {
namespace {

struct Setting {
  uint64_t pages = 50'000, links = 60, group = 512, visits = 50'000;
  std::string folder = std::filesystem::temp_directory_path();
};

struct Moment {
  double wall = 0, processor = 0;
  static Moment Now() {
    timespec wall, processor;
    clock_gettime(CLOCK_MONOTONIC, &wall);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
    const auto seconds = [](const timespec& t) {
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    return {seconds(wall), seconds(processor)};
  }
  void Add(Moment from, Moment to) {
    wall += to.wall - from.wall;
    processor += to.processor - from.processor;
  }
};

void Check(const absl::Status& status) { OPIC_CHECK(status.ok()) << status.ToString(); }

// What was sent waits here until the other node's turn.
class Wire final : public Transport {
 public:
  void Send(NodeId /*to*/, Message message) override {
    if (const auto* sealed = std::get_if<Sealed>(&message)) {
      bytes += sealed->bytes.size();
      ++batches;
    }
    waiting.push_back(std::move(message));
  }
  void Disconnect(NodeId peer) override {
    OPIC_CHECK(false) << "node " << peer.value << " stopped";
  }

  std::deque<Message> waiting;
  uint64_t bytes = 0, batches = 0;
};

struct Node {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<ledger::Ledger> ledger;
  std::unique_ptr<Exchange> exchange;
  Wire wire;
  Moment took;
};

class Bench {
 public:
  Bench(const Setting& setting, bool on_disk)
      : setting_(setting),
        folder_(setting.folder + "/opic_transfer_bench-" + std::to_string(getpid())),
        map_(ShardMap::Even(ledger::Charter{.cluster_id = 1},
                            {{{}, "a", "h:1"}, {{}, "b", "h:2"}})) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (uint16_t n = 0; n < 2; ++n) Open(n, on_disk);
    for (uint16_t n = 0; n < 2; ++n) nodes_[n].exchange->OnConnected(NodeId{Other(n)}, now_);
    Run();
  }
  ~Bench() {
    for (Node& node : nodes_) node.exchange.reset(), node.ledger.reset(), node.store.reset();
    std::filesystem::remove_all(folder_);
  }

 private:
  static uint16_t Other(uint16_t n) { return static_cast<uint16_t>(1 - n); }
  static PageId Page(uint16_t node, uint64_t n) {
    const uint64_t draw = base::Mix64(2 * n + node);
    return PageId(ShardAt(draw % 512 + 512 * node), draw >> 19);
  }

  void Open(uint16_t n, bool on_disk) {
    Node& node = nodes_[n];
    node.store = on_disk ? store::OpenRocksStore(folder_ + "/" + std::to_string(n), {}).value()
                         : NewMemoryStore();
    ledger::Options options;
    options.nodes = 2;
    options.owner = [this](ShardId shard) { return map_.OwnerOf(shard); };
    ledger::Charter charter = map_.CharterOf(NodeId{n});
    charter.birth = 1 + n;
    node.ledger = ledger::Ledger::Open(options, *node.store, &charter).value();
    node.exchange = std::make_unique<Exchange>(map_, NodeId{n}, *node.ledger, node.wire);
  }

  // One turn of a node: what has arrived, `work`, a commit, what there is to be sent.
  template <typename Work>
  void Turn(uint16_t n, const Work& work) {
    Node& node = nodes_[n];
    const Moment begin = Moment::Now();
    std::deque<Message> arrived;
    arrived.swap(nodes_[Other(n)].wire.waiting);
    for (Message& message : arrived) {
      Check(node.exchange->OnMessage(NodeId{Other(n)}, std::move(message), now_));
    }
    work(*node.ledger);
    Check(node.ledger->Commit().status());
    Check(node.exchange->AfterCommit(now_));
    node.took.Add(begin, Moment::Now());
    if (n == 0) CountTransfers();
  }
  // Outside of what is timed.
  void CountTransfers() {
    for (const Message& message : nodes_[0].wire.waiting) {
      const auto* sealed = std::get_if<Sealed>(&message);
      if (sealed == nullptr) continue;
      transfers_ += ledger::DecodeTransferBatch(sealed->bytes).value().transfers.size();
    }
  }
  void Turns() {
    Turn(0, [](ledger::Ledger&) {});
    Turn(1, [](ledger::Ledger&) {});
  }

  void Begin() {
    transfers_ = 0;
    for (Node& node : nodes_) {
      node.took = Moment();
      node.wire.bytes = node.wire.batches = 0;
      written_ = nodes_[0].store->bytes_written() + nodes_[1].store->bytes_written();
    }
  }
  void Tell(const char* what, double credits) const {
    const Moment &sender = nodes_[0].took, &receiver = nodes_[1].took;
    const auto k = [&](double seconds) { return 1e-3 * credits / seconds; };
    std::printf("  %s: %.0f credits in %lu batches\n", what, credits, nodes_[0].wire.batches);
    std::printf("    %-34s %8.0f k credits/s, %.0f k/s of the processor alone\n",
                "sender (visits, sealing, sync)", k(sender.wall), k(sender.processor));
    std::printf("    %-34s %8.0f k credits/s, %.0f k/s of the processor alone\n",
                "receiver (paying, sync)", k(receiver.wall), k(receiver.processor));
    std::printf("    %-34s %8.0f k credits/s, %.2f s of the processor a million\n",
                "both, one after the other", k(sender.wall + receiver.wall),
                1e6 * (sender.processor + receiver.processor) / credits);
    const uint64_t written =
        nodes_[0].store->bytes_written() + nodes_[1].store->bytes_written() - written_;
    std::printf("    %-34s %8.1f bytes a transfer, %.1f a credit; %.1f a credit on the two disks\n",
                "sealed",
                static_cast<double>(nodes_[0].wire.bytes) / static_cast<double>(transfers_),
                static_cast<double>(nodes_[0].wire.bytes) / credits,
                static_cast<double>(written) / credits);
    std::fflush(stdout);
  }

  void Seed() {
    for (uint64_t begin = 0; begin < setting_.pages; begin += 10'000) {
      std::vector<ledger::Link> pages;
      for (uint64_t n = begin; n < std::min(setting_.pages, begin + 10'000); ++n) {
        pages.push_back({Page(0, n), "http://www.example-host.org/folder/page"});
      }
      nodes_[0].ledger->Seed(pages);
      Turns();
    }
  }

  // Cash goes one way only and runs out on pages that are settled again and again, so that later
  // ones would pay nothing: each is settled once for each time that all were.
  void Settle() {
    Begin();
    std::vector<PageId> pages(setting_.group);
    uint64_t next = 0;
    for (uint64_t done = 0; done < setting_.visits; done += setting_.group) {
      for (PageId& page : pages) page = Page(0, next++ % setting_.pages);
      Turn(0, [&](ledger::Ledger& ledger) { Check(ledger.Settle(pages)); });
      Turn(1, [](ledger::Ledger&) {});
    }
    Turns();
    Tell("settled, ids only", static_cast<double>(setting_.visits * setting_.links));
  }

  void Fetch() {
    Begin();
    for (uint64_t begin = 0; begin < setting_.pages; begin += setting_.group) {
      std::vector<ledger::Visit> visits;
      for (uint64_t n = begin; n < std::min(setting_.pages, begin + setting_.group); ++n) {
        ledger::Visit& visit = visits.emplace_back(ledger::Visit{Page(0, n)});
        visit.at = 1'700'000'000;
        for (uint64_t link = 0; link < setting_.links; ++link) {
          const uint64_t to = rng_.Below(setting_.pages);
          visit.links.push_back(
              {Page(1, to), "http://www.example-host.org/folder/page-" + std::to_string(to)});
        }
      }
      Turn(0, [&](ledger::Ledger& ledger) { Check(ledger.Record(visits)); });
      Turn(1, [](ledger::Ledger&) {});
    }
    Turns();
    Tell("fetched, links known to the peer", static_cast<double>(setting_.pages * setting_.links));
  }

  // Each page told once: what a URL costs.
  void Discover() {
    Begin();
    for (uint64_t begin = 0; begin < setting_.pages; begin += 10'000) {
      std::vector<ledger::Link> pages;
      for (uint64_t n = begin; n < std::min(setting_.pages, begin + 10'000); ++n) {
        pages.push_back(
            {Page(1, n), "http://www.example-host.org/folder/page-" + std::to_string(n)});
      }
      Turn(0, [&](ledger::Ledger& ledger) { ledger.Seed(pages); });
      Turn(1, [](ledger::Ledger&) {});
    }
    Turns();
    Tell("discovered, each with its URL", static_cast<double>(setting_.pages));
  }

  void Run() {
    Turns(), Turns();
    Seed();
    Discover();
    Fetch();
    Settle();
    OPIC_CHECK(nodes_[0].ledger->books().Due() + nodes_[1].ledger->books().Due() ==
               cash::kSupply.units())
        << "cash was lost";
  }

  const Setting setting_;
  const std::string folder_;
  const ShardMap map_;
  const absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  base::Rng rng_{1};
  Node nodes_[2];
  uint64_t written_ = 0, transfers_ = 0;
};

}  // namespace
}  // namespace opic::cluster

int main(int argc, char** argv) {
  opic::cluster::Setting setting;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&](const char* name) -> const char* {
      const size_t length = std::strlen(name);
      return std::strncmp(argv[i], name, length) == 0 ? argv[i] + length : nullptr;
    };
    if (const char* n = value("--pages=")) setting.pages = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--links=")) setting.links = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--group=")) setting.group = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--visits=")) setting.visits = std::strtoull(n, nullptr, 10);
    if (const char* folder = value("--folder=")) setting.folder = folder;
  }
  std::printf("pages %lu, links %lu, groups of %lu\n", setting.pages, setting.links, setting.group);
  std::printf("in memory\n");
  opic::cluster::Bench(setting, /*on_disk=*/false);
  std::printf("on RocksDB\n");
  opic::cluster::Bench(setting, /*on_disk=*/true);
  return 0;
}

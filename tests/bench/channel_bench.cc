// opic-modules: rpc certs cluster ledger store page_table cash base
// Money between two nodes, durable at both ends (docs/design.md section 5; paper section 4.1),
// measured over a real gRPC stream on loopback with RocksDB at either end:
//
//     channel_bench [--pages=200000] [--links=60] [--group=256] [--seconds=10] [--tls]
//     [--folder=/tmp]
//
// Each node has `pages` pages, and each of them links to `links` random pages of the other one. All
// are visited once, which tells the URLs; then both nodes settle their pages over and over, in
// groups of `group` visits and whatever arrived, one synced write a group, and wait for the other
// when 16 batches are not acknowledged. A credit counts when the receiver has it on disk and has
// said so.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "base/rng.h"
#include "certs/authority.h"
#include "cluster/exchange.h"
#include "ledger/ledger.h"
#include "rpc/peer_net.h"
#include "rpc/server.h"

namespace opic {
namespace {

struct Setting {
  uint64_t pages = 200'000, links = 60, group = 256, seconds = 10;
  bool tls = false;
  std::string folder = std::filesystem::temp_directory_path();
};

void Check(const absl::Status& status) { OPIC_CHECK(status.ok()) << status.ToString(); }

constexpr uint32_t kShards = 1024;
constexpr size_t kUnacknowledgedMax = 16;

// The n-th page of a node: the first half of the shards is the first node's.
PageId Page(NodeId node, uint64_t n) {
  const uint64_t draw = base::Mix64(n + 1 + (uint64_t{node.value} << 40));
  const uint64_t shard = draw % (kShards / 2) + node.value * (kShards / 2);
  return PageId(ShardAt(shard), draw >> 19);
}

std::string UrlOf(NodeId node, uint64_t n) {
  return "http://www.site" + std::to_string(node.value) + "-" + std::to_string(n / 100) +
         ".example/section/page-" + std::to_string(n) + ".html";
}

// One node: its ledger, its end of the channel, and the thread that owns both.
class End {
 public:
  // `map` says where the other node listens, as far as this one has to dial.
  End(const Setting& setting, NodeId self, cluster::ShardMap map,
      const std::optional<rpc::TlsIdentity>& tls)
      : setting_(setting),
        self_(self),
        peer_{static_cast<uint16_t>(1 - self.value)},
        map_(std::move(map)),
        rng_(self.value + 1),
        folder_(setting.folder + "/opic_channel_bench-" + std::to_string(getpid()) + "-" +
                std::to_string(self.value)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    store_ = store::OpenRocksStore(folder_ + "/store", {}).value();
    ledger::Options options;
    options.checkpoint_folder = folder_ + "/checkpoints";
    options.owner = [this](ShardId shard) { return map_.OwnerOf(shard); };
    options.nodes = 2;
    ledger::Charter charter = map_.CharterOf(self);
    charter.birth = self.value + 1;
    ledger_ = ledger::Ledger::Open(options, *store_, &charter).value();
    rpc::PeerNet::Callbacks callbacks;
    callbacks.on_connected = [this](NodeId peer) {
      Post([this, peer] { exchange_->OnConnected(peer, absl::Now()); });
    };
    callbacks.on_disconnected = [this](NodeId peer) {
      Post([this, peer] { exchange_->OnDisconnected(peer); });
    };
    callbacks.on_message = [this](NodeId peer, cluster::Message message,
                                  std::function<void()> read_next) {
      auto shared = std::make_shared<cluster::Message>(std::move(message));
      Post([this, peer, shared, read_next] {
        Check(exchange_->OnMessage(peer, std::move(*shared), absl::Now()));
        read_next();
      });
    };
    net_ = std::make_unique<rpc::PeerNet>(map_.nodes(), self, tls, callbacks);
    exchange_ = std::make_unique<cluster::Exchange>(map_, self, *ledger_, *net_);
    server_ = rpc::Server::Start("127.0.0.1:0", {net_->service()}, {tls, false}).value();
  }
  ~End() {
    net_->Stop();
    server_->Shutdown();
    exchange_.reset();
    ledger_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Dial() { net_->Start(); }

  // Makes the own pages known.
  void Discover() {
    for (uint64_t n = 0; n < setting_.pages;) {
      std::vector<ledger::Link> pages;
      for (; n < setting_.pages && pages.size() < 10'000; ++n) {
        pages.push_back({Page(self_, n), UrlOf(self_, n)});
      }
      ledger_->Seed(pages);
      Check(ledger_->Commit().status());
    }
  }
  // Visits every page once; its links are told to the other node.
  void VisitAll() {
    for (uint64_t n = 0; n < setting_.pages;) {
      std::vector<ledger::Visit> visits;
      for (; n < setting_.pages && visits.size() < setting_.group; ++n) {
        ledger::Visit visit;
        visit.page = Page(self_, n);
        visit.http_status = 200;
        visit.at = 1'700'000'000;
        for (uint64_t k = 0; k < setting_.links; ++k) {
          const uint64_t target = rng_.Below(setting_.pages);
          visit.links.push_back({Page(peer_, target), UrlOf(peer_, target)});
        }
        visits.push_back(std::move(visit));
      }
      while (!MaySend()) Turn(absl::Milliseconds(10));
      Check(ledger_->Record(visits));
      credits_ += visits.size() * setting_.links;
      Turn(absl::ZeroDuration());
    }
  }
  void SettleUntil(const std::atomic<bool>& over) {
    uint64_t n = 0;
    std::vector<PageId> pages(setting_.group);
    while (!over) {
      if (!MaySend()) {
        Turn(absl::Milliseconds(10));
        continue;
      }
      for (PageId& page : pages) page = Page(self_, n++ % setting_.pages);
      Check(ledger_->Settle(pages));
      credits_ += pages.size() * setting_.links;
      Turn(absl::ZeroDuration());
    }
  }
  // Until the other node has everything. `others_done`: it has nothing more to send either.
  void Finish(std::atomic<int>& finished) {
    bool counted = false;
    while (finished < 2) {
      if (!counted && ledger_->peers().retained(peer_).empty()) counted = true, ++finished;
      Turn(absl::Milliseconds(1));
    }
  }

  const std::string& address() const { return server_->address(); }
  uint64_t credits() const { return credits_; }
  uint64_t commits() const { return ledger_->log_number(); }
  uint64_t disk_bytes() const { return store_->bytes_written(); }
  cash::Sum held() const {
    return ledger_->books().table().totals().cash + ledger_->books().virtual_page().units();
  }

 private:
  bool MaySend() const { return ledger_->peers().retained(peer_).size() < kUnacknowledgedMax; }
  void Post(std::function<void()> work) {
    absl::MutexLock lock(&mu_);
    inbox_.push_back(std::move(work));
  }
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return !inbox_.empty(); }
  // One commit group with what has arrived.
  void Turn(absl::Duration patience) {
    std::deque<std::function<void()>> work;
    {
      absl::MutexLock lock(&mu_);
      mu_.AwaitWithTimeout(absl::Condition(this, &End::HasWork), patience);
      work.swap(inbox_);
    }
    for (const auto& item : work) item();
    exchange_->BeforeCommit(/*idle=*/false, absl::Now());
    Check(ledger_->Commit().status());
    Check(exchange_->AfterCommit(absl::Now()));
    Check(ledger_->Checkpoint(/*all=*/false));
  }

  const Setting setting_;
  const NodeId self_, peer_;
  const cluster::ShardMap map_;
  base::Rng rng_;
  const std::string folder_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<rpc::PeerNet> net_;
  std::unique_ptr<cluster::Exchange> exchange_;
  std::unique_ptr<rpc::Server> server_;
  uint64_t credits_ = 0;
  absl::Mutex mu_;
  std::deque<std::function<void()>> inbox_ ABSL_GUARDED_BY(mu_);
};

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Received on the loopback interface, by everybody.
uint64_t LoopbackBytes() {
  std::ifstream devices("/proc/net/dev");
  std::string name;
  while (devices >> name) {
    if (name != "lo:") continue;
    uint64_t bytes = 0;
    devices >> bytes;
    return bytes;
  }
  return 0;
}

struct Counts {
  absl::Time at;
  double processor;
  uint64_t credits, commits, disk, wire;
};

class Bench {
 public:
  explicit Bench(const Setting& setting) : setting_(setting) {
    // The node with the lower number dials, so the other one is there before it.
    std::string address = "127.0.0.1:0";
    for (const uint16_t n : {1, 0}) {
      ends_[n] =
          std::make_unique<End>(setting_, NodeId{n}, MapWith(address), IdentityOf(NodeId{n}));
      address = ends_[n]->address();
    }
    for (auto& end : ends_) end->Dial();
  }
  // Who dials first: else it dials once more, and gRPC has not forgotten that when the program
  // ends.
  ~Bench() {
    for (auto& end : ends_) end.reset();
  }

  void Run() {
    std::printf("2 nodes, %lu pages each, %lu links, groups of %lu, %s\n", setting_.pages,
                setting_.links, setting_.group, setting_.tls ? "mutual TLS" : "plain");
    Both([](End& end) { end.Discover(); });
    Phase("visits: every link told with its URL", [](End& end) { end.VisitAll(); });
    std::atomic<bool> over = false;
    std::thread alarm([&] {
      absl::SleepFor(absl::Seconds(setting_.seconds));
      over = true;
    });
    Phase("settling: ids and amounts only", [&](End& end) { end.SettleUntil(over); });
    alarm.join();
    const bool whole = ends_[0]->held() + ends_[1]->held() == cash::kSupply.units();
    std::printf("  %-36s %s\n", "sum over both nodes", whole ? "the supply, to the unit" : "WRONG");
    OPIC_CHECK(whole) << "cash was lost or made";
  }

 private:
  static cluster::ShardMap MapWith(const std::string& address) {
    ledger::Charter charter;
    charter.cluster_id = 42;
    charter.shards = kShards;
    std::vector<cluster::MemberNode> nodes(2);
    for (uint16_t n = 0; n < 2; ++n) {
      nodes[n].id = NodeId{n};
      nodes[n].name = "node-" + std::to_string(n);
      nodes[n].address = address;
    }
    return cluster::ShardMap::Even(charter, nodes);
  }
  std::optional<rpc::TlsIdentity> IdentityOf(NodeId node) const {
    if (!setting_.tls) return std::nullopt;
    const certs::Pair pair =
        authority_.Issue({"node-" + std::to_string(node.value), {"127.0.0.1"}}).value();
    return rpc::TlsIdentity{authority_.pair().certificate, pair.certificate, pair.key};
  }

  void Both(const std::function<void(End&)>& work) {
    std::thread other([&] { work(*ends_[1]); });
    work(*ends_[0]);
    other.join();
  }
  Counts Count() const {
    Counts now{absl::Now(), ProcessorSeconds(), 0, 0, 0, LoopbackBytes()};
    for (const auto& end : ends_) {
      now.credits += end->credits();
      now.commits += end->commits();
      now.disk += end->disk_bytes();
    }
    return now;
  }
  void Phase(const char* name, const std::function<void(End&)>& work) {
    const Counts before = Count();
    std::atomic<int> finished = 0;
    Both([&](End& end) {
      work(end);
      end.Finish(finished);
    });
    const Counts after = Count();
    const double credits = static_cast<double>(after.credits - before.credits);
    const double wall = absl::ToDoubleSeconds(after.at - before.at);
    std::printf("%s: %.1f M credits in %.1f s\n", name, credits / 1e6, wall);
    const auto line = [](const char* what, double value, const char* unit) {
      std::printf("  %-36s %10.3f %s\n", what, value, unit);
    };
    line("credits, durable at both ends", credits / wall / 1e6, "M/s");
    line("processor", (after.processor - before.processor) / credits * 1e6, "s per million");
    line("on the wire", static_cast<double>(after.wire - before.wire) / credits, "bytes a credit");
    line("on disk, both ends", static_cast<double>(after.disk - before.disk) / credits,
         "bytes a credit");
    line("synced writes", static_cast<double>(after.commits - before.commits) / wall, "/s");
    std::fflush(stdout);
  }

  const Setting setting_;
  const certs::Authority authority_ = certs::Authority::New("channel_bench").value();
  std::unique_ptr<End> ends_[2];
};

}  // namespace
}  // namespace opic

int main(int argc, char** argv) {
  opic::Setting setting;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto number = [&](const char* name, uint64_t& value) {
      const size_t length = std::strlen(name);
      if (flag.compare(0, length, name) != 0) return false;
      value = std::strtoull(flag.c_str() + length, nullptr, 10);
      return true;
    };
    if (number("--pages=", setting.pages) || number("--links=", setting.links) ||
        number("--group=", setting.group) || number("--seconds=", setting.seconds)) {
      continue;
    }
    if (flag == "--tls") {
      setting.tls = true;
    } else if (flag.starts_with("--folder=")) {
      setting.folder = flag.substr(9);
    } else {
      std::fprintf(stderr, "channel_bench: unknown flag %s\n", flag.c_str());
      return 2;
    }
  }
  opic::Bench(setting).Run();
}

// opic-modules: ledger store page_table cash base
// A shard moves from one ledger to another, both on RocksDB, in one process and on one thread:
//
//     move_bench [PAGES]
//
// Three pages of four were read and have ten links each. Told apart: making the departure, its one
// synced write, and the arrival, a synced group for each batch.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "ledger/ledger.h"

namespace opic::ledger {
namespace {

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Node {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<Ledger> ledger;
};

Node Open(const std::string& folder, uint16_t number) {
  Node node;
  node.store = store::OpenRocksStore(absl::StrCat(folder, "/", number), {}).value();
  Charter charter;
  charter.cluster_id = 1;
  charter.shards = 2;
  charter.node = NodeId{number};
  charter.genesis = number == 0 ? cash::kSupply : cash::Amount();
  Options options;
  options.nodes = 2;
  options.owner = [](ShardId shard) { return NodeId{shard.value}; };
  node.ledger = Ledger::Open(options, *node.store, &charter).value();
  return node;
}

Link PageOf(uint64_t n) {
  return {PageId(ShardId{0}, base::Mix64(n) % kPageIdCount),
          absl::StrCat("http://www.some-host", n / 1000, ".example/some/path/page", n, ".html")};
}

void Fill(Ledger& ledger, uint64_t pages) {
  constexpr uint64_t kGroup = 10'000;
  for (uint64_t n = 0; n < pages; n += kGroup) {
    std::vector<Link> seeds;
    for (uint64_t i = n; i < std::min(n + kGroup, pages); ++i) seeds.push_back(PageOf(i));
    ledger.Seed(seeds);
    OPIC_CHECK(ledger.Commit().ok());
    std::vector<Visit> visits;
    for (uint64_t i = n; i < n + seeds.size(); ++i) {
      if (i % 4 == 0) continue;
      Visit visit{PageOf(i).page, VisitKind::kFetched, 200};
      visit.at = 1'700'000'000;
      visit.etag = "\"5f3c-1a2b3c4d5e\"";
      for (uint64_t k = 1; k <= 10; ++k) visit.links.push_back(seeds[(i * k + k) % seeds.size()]);
      visits.push_back(std::move(visit));
    }
    OPIC_CHECK(ledger.Record(visits).ok());
    OPIC_CHECK(ledger.Commit().ok());
  }
}

void Run(uint64_t pages, const std::string& folder) {
  Node from = Open(folder, 0), to = Open(folder, 1);
  Fill(*from.ledger, pages);
  const double begin = Seconds();
  OPIC_CHECK(from.ledger->moves().Depart(ShardId{0}, NodeId{1}, "").ok());
  const double made = Seconds();
  OPIC_CHECK(from.ledger->Commit().ok());
  const double written = Seconds();
  uint64_t bytes = 0;
  const uint64_t batches = from.ledger->peers().book(NodeId{1}).sealed;
  from.ledger->TakeSealed();
  for (uint64_t sequence = 1; sequence <= batches; ++sequence) {
    const std::string sealed = from.ledger->SealedBytes(NodeId{1}, sequence).value();
    bytes += sealed.size();
    OPIC_CHECK(to.ledger->Receive(DecodeTransferBatch(sealed).value()).ok());
    OPIC_CHECK(to.ledger->Commit().ok());
  }
  const double arrived = Seconds();
  OPIC_CHECK(to.ledger->books().table().totals().pages == pages) << "pages were lost";
  const double millions = static_cast<double>(pages) / 1e6;
  std::printf(
      "%.2f M pages, %.0f bytes a page in %llu batches; a million pages: departure made in "
      "%.2f s, written in %.2f s, arrived in %.2f s\n",
      millions, static_cast<double>(bytes) / static_cast<double>(pages),
      static_cast<unsigned long long>(batches), (made - begin) / millions,
      (written - made) / millions, (arrived - written) / millions);
}

}  // namespace
}  // namespace opic::ledger

int main(int argc, char** argv) {
  const uint64_t pages = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
  const std::string folder = std::filesystem::temp_directory_path().string() + "/opic_move_bench-" +
                             std::to_string(getpid());
  std::filesystem::create_directories(folder);
  opic::ledger::Run(pages, folder);
  std::filesystem::remove_all(folder);
  return 0;
}

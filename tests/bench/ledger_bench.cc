// opic-modules: node ledger schedule store page_table cash base
// What the ledger promises (docs/design.md sections 5 and 9), measured on RocksDB in a temporary
// folder:
//
//     ledger_bench [--pages=100000] [--read=100000] [--links=60] [--group=64] [--visits=100000]
//                  [--order=random] [--folder=/tmp] [--kept-rows=32] [--threads=1]
//
// `read` of the pages (all, unless told) link to `links` uniformly random ones: no locality, the
// worst case. They are visited once in large groups, then `visits` of them are settled in groups of
// `group`, each one synced write: random ones, or with --order=sweep those that the sweep of a node
// without a plan chooses; with two threads, both pay credits. Prints one line a figure; wall time,
// and the processor's on this thread.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "ledger/checkpoint_round.h"
#include "ledger/ledger.h"
#include "node/pools.h"
#include "schedule/strategy.h"

namespace opic::ledger {
namespace {

constexpr uint64_t kSlotsLookedAt = 100'000;  // as a node looks at, in a turn
constexpr uint64_t kTurnsMax = 8;             // of the sweep over all pages, without a choice

struct Setting {
  uint64_t pages = 100'000, read = 0, links = 60, group = 64, visits = 100'000, kept_rows = 32;
  uint64_t threads = 1;
  bool sweep = false;
  std::string folder = std::filesystem::temp_directory_path();
};

struct Moment {
  double wall, processor;
  static Moment Now() {
    timespec wall, processor;
    clock_gettime(CLOCK_MONOTONIC, &wall);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
    const auto seconds = [](const timespec& t) {
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    return {seconds(wall), seconds(processor)};
  }
  Moment Since(Moment start) const { return {wall - start.wall, processor - start.processor}; }
  void operator+=(Moment other) {
    wall += other.wall;
    processor += other.processor;
  }
};

// What a group of settled visits takes.
struct Parts {
  Moment choose{}, settle{}, commit{}, checkpoint{};

  Moment Sum() const {
    Moment sum{};
    for (const Moment& part : {choose, settle, commit, checkpoint}) sum += part;
    return sum;
  }
  void operator+=(const Parts& other) {
    choose += other.choose;
    settle += other.settle;
    commit += other.commit;
    checkpoint += other.checkpoint;
  }
  void Tell(const char* what, double scale, const char* unit) const {
    std::printf("%-40s %6.1f %s choose, %.1f settle, %.1f commit, %.1f checkpoint\n", what,
                scale * choose.processor, unit, scale * settle.processor, scale * commit.processor,
                scale * checkpoint.processor);
  }
};

void Check(const absl::Status& status) { OPIC_CHECK(status.ok()) << status.ToString(); }

class Bench {
 public:
  explicit Bench(const Setting& setting)
      : setting_(setting),
        folder_(setting.folder + "/opic_ledger_bench-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    options_.checkpoint_folder = folder_ + "/checkpoints";
    options_.save = SaveCheckpoints::kBeside;
    options_.kept_rows_bytes = setting.kept_rows << 20;
    options_.credit_helper = setting.threads > 1;
  }
  ~Bench() {
    ledger_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Run() {
    std::printf("pages %lu, of which %lu are read, links %lu, groups of %lu, %s\n", setting_.pages,
                setting_.read, setting_.links, setting_.group,
                setting_.sweep ? "as a node chooses them" : "at random");
    Open();
    Discover();
    VisitAll();
    CheckpointAll();
    Settle();
    Recover("recovery from checkpoints and journal");
    CheckpointAll();
    Recover("recovery from checkpoints");
  }

 private:
  PageId Page(uint64_t n) const {
    const uint64_t draw = base::Mix64(n + 1);
    return PageId(ShardAt(draw % 1024), draw >> 19);
  }
  PageId AnyPage() { return Page(rng_.Below(setting_.pages)); }

  void Open() {
    store_ = store::OpenRocksStore(folder_ + "/store", store::RocksOptions()).value();
    const Charter charter{.cluster_id = 1};
    auto opened = Ledger::Open(options_, *store_, &charter);
    Check(opened.status());
    ledger_ = *std::move(opened);
  }

  void Tell(const char* what, double count, Moment took) const {
    std::printf("%-40s %8.0f /s  %6.1f us each, %6.1f of the processor\n", what, count / took.wall,
                1e6 * took.wall / count, 1e6 * took.processor / count);
    std::fflush(stdout);
  }

  void Discover() {
    for (uint64_t begin = 0; begin < setting_.pages; begin += 10'000) {
      std::vector<Link> pages;
      for (uint64_t n = begin; n < std::min(setting_.pages, begin + 10'000); ++n) {
        pages.push_back({Page(n), "http://www.example-host.org/folder/page-" + std::to_string(n)});
      }
      ledger_->Seed(pages);
      Check(ledger_->Commit().status());
    }
  }

  void VisitAll() {
    const Moment start = Moment::Now();
    const uint64_t written = store_->bytes_written();
    std::vector<Visit> visits;
    for (uint64_t n = 0; n < setting_.read; ++n) {
      Visit& visit = visits.emplace_back();
      visit.page = Page(n);
      visit.at = 1'700'000'000;
      for (uint64_t link = 0; link < setting_.links; ++link) {
        visit.links.push_back({AnyPage(), "http://www.example-host.org/folder/page"});
      }
      if (visits.size() < 1024 && n + 1 < setting_.read) continue;
      Check(ledger_->Record(visits));
      visits.clear();
      Check(ledger_->Commit().status());
      Check(ledger_->Checkpoint(/*all=*/false));
    }
    const auto pages = static_cast<double>(setting_.read);
    Tell("visits recorded, groups of 1024", pages, Moment::Now().Since(start));
    std::printf("%-40s %8.0f bytes\n", "written a visit",
                static_cast<double>(store_->bytes_written() - written) / pages);
  }

  // The next group of pages to be settled.
  std::vector<PageId> Next(schedule::Pool& pool, schedule::Strategy& sweep) {
    std::vector<PageId> pages;
    if (!setting_.sweep) {
      while (pages.size() < setting_.group) pages.push_back(Page(rng_.Below(setting_.read)));
      return pages;
    }
    std::vector<schedule::Candidate> chosen;
    for (uint64_t looked = 0; chosen.empty(); looked += kSlotsLookedAt) {
      OPIC_CHECK(looked < kTurnsMax * (pool.slots() + kSlotsLookedAt)) << "no page has cash to pay";
      sweep.Choose(pool, setting_.group, kSlotsLookedAt, chosen);
    }
    for (const schedule::Candidate& candidate : chosen) pages.push_back(candidate.page);
    std::sort(pages.begin(), pages.end());
    return pages;
  }

  void Settle() {
    const node::ClosedShards none(1024);
    node::SettlePool pool(ledger_->books().table(), none);
    const auto sweep = schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep, 1);
    const uint64_t written = store_->bytes_written();
    Parts all, slowest;
    uint64_t done = 0;
    const Moment start = Moment::Now();
    while (done < setting_.visits) {
      const Moment begin = Moment::Now();
      const std::vector<PageId> pages = Next(pool, *sweep);
      const Moment chosen = Moment::Now();
      Check(ledger_->Settle(pages));
      const Moment settled = Moment::Now();
      Check(ledger_->Commit().status());
      const Moment committed = Moment::Now();
      Check(ledger_->Checkpoint(/*all=*/false));
      const Parts group = {chosen.Since(begin), settled.Since(chosen), committed.Since(settled),
                           Moment::Now().Since(committed)};
      done += pages.size();
      all += group;
      if (group.Sum().wall > slowest.Sum().wall) slowest = group;
    }
    const auto visits = static_cast<double>(done);
    Tell("visits settled", visits, Moment::Now().Since(start));
    all.Tell("  of the processor, a visit", 1e6 / visits, "us");
    std::printf("%-40s %8.1f ms\n", "  slowest group", 1e3 * slowest.Sum().wall);
    slowest.Tell("    of the processor", 1e3, "ms");
    std::printf("%-40s %8.0f bytes\n", "  written a visit",
                static_cast<double>(store_->bytes_written() - written) / visits);
  }

  void CheckpointAll() {
    const Moment start = Moment::Now();
    Check(ledger_->Checkpoint(/*all=*/true));
    const Moment took = Moment::Now().Since(start);
    std::printf("%-40s %8.2f s, %.2f of the processor\n", "checkpoints of all shards", took.wall,
                took.processor);
  }

  void Recover(const char* what) {
    ledger_.reset();
    store_.reset();
    const Moment opening = Moment::Now();
    store_ = store::OpenRocksStore(folder_ + "/store", store::RocksOptions()).value();
    const Moment start = Moment::Now();
    const Charter charter{.cluster_id = 1};
    auto opened = Ledger::Open(options_, *store_, &charter);
    const Moment end = Moment::Now();
    Check(opened.status());
    ledger_ = *std::move(opened);
    const RecoveryReport& report = ledger_->recovery();
    const double millions = 1e-6 * static_cast<double>(report.pages);
    std::printf("%-40s %8.3f s a million pages, %.3f of the processor\n", what,
                end.Since(start).wall / millions, end.Since(start).processor / millions);
    std::printf("%-40s %8lu replayed, after %.2f s of RocksDB\n", "  records",
                report.records_replayed, start.Since(opening).wall);
  }

  const Setting setting_;
  const std::string folder_;
  Options options_;
  base::Rng rng_{1};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Ledger> ledger_;
};

// Memory of the process, MB: now, and at most since the last call.
struct Memory {
  double now = 0, peak = 0;
  static Memory Read() {
    Memory memory;
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word == "VmRSS:") status >> memory.now;
      if (word == "VmHWM:") status >> memory.peak;
    }
    std::ofstream("/proc/self/clear_refs") << 5;
    return {memory.now / 1024, memory.peak / 1024};
  }
};

// What the checkpoint of the largest shard one should have takes, and reading it.
void MeasureOneLargeShard(const Setting& setting) {
  const std::string folder =
      setting.folder + "/opic_ledger_bench-shard-" + std::to_string(getpid());
  page_table::PageTable table(1);
  for (uint64_t n = 0; n < setting.pages; ++n) table.Add(PageId(ShardId{0}, base::Mix64(n) >> 19));
  Checkpoints checkpoints(folder, 1);
  Check(checkpoints.BeginWriting());
  double before = Memory::Read().now;
  Moment start = Moment::Now();
  const auto tell = [&](const char* what) {
    const Moment took = Moment::Now().Since(start);
    std::printf("%-40s %8.1f ms, %.1f of the processor, %.1f MB at most\n", what, 1e3 * took.wall,
                1e3 * took.processor, Memory::Read().peak - before);
  };
  {
    CheckpointRound round(checkpoints, table, {ShardId{0}}, 1, SaveCheckpoints::kLater);
    Check(round.End());
  }
  tell("checkpoint of them as one shard");
  page_table::PageTable again(1);
  before = Memory::Read().now;
  start = Moment::Now();
  OPIC_CHECK(checkpoints.LoadAll(again).ok() && again.totals().pages == table.totals().pages);
  tell("reading it");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace opic::ledger

int main(int argc, char** argv) {
  opic::ledger::Setting setting;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&](const char* name) -> const char* {
      const size_t length = std::strlen(name);
      return std::strncmp(argv[i], name, length) == 0 ? argv[i] + length : nullptr;
    };
    if (const char* n = value("--pages=")) setting.pages = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--read=")) setting.read = std::strtoull(n, nullptr, 10);
    if (const char* order = value("--order=")) {
      setting.sweep = std::strcmp(order, "sweep") == 0;
      OPIC_CHECK(setting.sweep || std::strcmp(order, "random") == 0) << "--order=" << order;
    }
    if (const char* n = value("--links=")) setting.links = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--group=")) setting.group = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--visits=")) setting.visits = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--kept-rows=")) setting.kept_rows = std::strtoull(n, nullptr, 10);
    if (const char* n = value("--threads=")) setting.threads = std::strtoull(n, nullptr, 10);
    if (const char* folder = value("--folder=")) setting.folder = folder;
  }
  OPIC_CHECK(setting.group > 0) << "--group=0";
  if (setting.read == 0 || setting.read > setting.pages) setting.read = setting.pages;
  opic::ledger::Bench(setting).Run();
  opic::ledger::MeasureOneLargeShard(setting);
  return 0;
}

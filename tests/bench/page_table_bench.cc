// opic-modules: page_table cash base
// What the page table promises (docs/design.md sections 4 and 9), measured:
//
//     page_table_bench [--pages=100000000] [--shards=1024]
//
// Prints one line a figure. Times are of this thread's processor, so that others on the machine
// spoil them little. RSS is the process's, less what it had before the first page; its peak is what
// the kernel saw at any moment, growth included.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "page_table/page_table.h"

namespace opic::page_table {
namespace {

double Now() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double SecondsSince(double start) { return Now() - start; }

// A line of /proc/self/status, in bytes.
double MemoryNow(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(key + ":")) return 1024.0 * std::atof(line.c_str() + key.size() + 1);
  }
  return 0;
}

// From here on VmHWM is the peak since now.
void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

class Bench {
 public:
  Bench(uint64_t pages, uint32_t shards) : pages_(pages), shards_(shards), table_(shards) {}

  void Run() {
    std::printf("pages %.0e in %u shards\n", static_cast<double>(pages_), shards_);
    Grow();
    Credit();
    Sweep();
    Instalment();
    Reload();
  }

 private:
  PageId PageOf(uint64_t index) const {
    const uint64_t hash = base::Mix64(index);
    return PageId(ShardAt(hash % shards_), hash >> (64 - kPageIdBits));
  }

  void Print(const char* what, double figure, const char* unit) {
    std::printf("%-34s %10.3f %s\n", what, figure, unit);
    std::fflush(stdout);
  }

  // Every tenth of a decade: pages, RSS and its peak a page.
  void Grow() {
    ResetPeak();
    const double before = MemoryNow("VmRSS");
    double worst = 0, slowest = 0, seconds = 0;
    uint64_t added = 0;
    for (double step = static_cast<double>(pages_) / 100; added < pages_; step *= 1.2589) {
      const uint64_t until = std::min(pages_, static_cast<uint64_t>(step));
      const auto start = Now();
      while (added < until) slowest = std::max(slowest, AddSome(added, until));
      seconds += SecondsSince(start);
      const double peak = (MemoryNow("VmHWM") - before) / static_cast<double>(added);
      const double rss = (MemoryNow("VmRSS") - before) / static_cast<double>(added);
      std::printf("  %11lu pages: RSS %.3f, peak %.3f bytes a page\n", added, rss, peak);
      worst = std::max(worst, peak);
    }
    Print("worst peak RSS while growing", worst, "bytes a page");
    Print("adds", static_cast<double>(pages_) / seconds / 1e6, "M/s");
    Print("slowest 16 adds", slowest * 1e3, "ms");
  }

  double AddSome(uint64_t& added, uint64_t until) {
    const auto start = Now();
    for (int i = 0; i < 16 && added < until; ++i) table_.Add(PageOf(added++));
    return SecondsSince(start);
  }

  // Batches to random known pages, as after a commit group.
  void Credit() {
    constexpr int kBatches = 2000, kBatch = 4096;
    base::Rng rng(1);
    std::vector<page_table::Credit> batch(kBatch);
    cash::Amount reserve(1'000'000'000);
    double seconds = 0;
    for (int i = 0; i < kBatches; ++i) {
      for (auto& credit : batch) {
        credit = {PageOf(rng.Below(pages_)), cash::Amount(1 + rng.Below(100'000))};
      }
      const auto start = Now();
      table_.Apply(batch, static_cast<uint64_t>(i), &reserve);
      seconds += SecondsSince(start);
    }
    Print("credits in batches", kBatches * double{kBatch} / seconds / 1e6, "M/s");
    OPIC_CHECK(table_.totals().pages <= pages_) << "credits added pages";
  }

  void Sweep() {
    Cursor cursor;
    uint64_t rich = 0, seen = 0;
    const auto start = Now();
    bool end = false;
    while (!end) {
      end = table_.Walk(cursor, 100'000, [&](const Page& page) {
        ++seen;
        rich += page.cash.value().units() > 50'000;
      });
    }
    OPIC_CHECK(seen == table_.totals().pages && rich > 0) << seen << " pages swept";
    Print("sweep", static_cast<double>(seen) / SecondsSince(start) / 1e6, "M pages/s");
  }

  void Instalment() {
    cash::Amount reserve(uint64_t{1} << 50);
    uint64_t paid = 0;
    const auto start = Now();
    for (uint32_t shard = 0; shard < shards_; ++shard) {
      paid +=
          table_.PayRange(ShardAt(shard), 0, kPageIdCount, true, cash::Amount(1000), 9, &reserve);
    }
    Print("PayRange", static_cast<double>(paid) / SecondsSince(start) / 1e6, "M pages/s");
  }

  // Shard by shard through memory: what the disk adds is the disk's.
  void Reload() {
    PageTable other(shards_);
    double save = 0, load = 0, bytes_total = 0;
    for (uint32_t index = 0; index < shards_; ++index) {
      const ShardId shard = ShardAt(index);
      std::string bytes;
      auto start = Now();
      table_.Save(shard, [&](std::string_view piece) { bytes.append(piece); });
      save += SecondsSince(start);
      bytes_total += static_cast<double>(bytes.size());
      start = Now();
      OPIC_CHECK(other.Load(shard, bytes).ok());
      load += SecondsSince(start);
    }
    OPIC_CHECK(other.totals().cash == table_.totals().cash);
    const double millions = static_cast<double>(table_.totals().pages) / 1e6;
    Print("checkpoint", save / millions, "s a million pages");
    Print("checkpoint size", bytes_total / millions / 1e6, "bytes a page");
    Print("reload", load / millions, "s a million pages");
    Print("slots after reload", static_cast<double>(other.totals().bytes) / millions / 1e6,
          "bytes a page");
  }

  const uint64_t pages_;
  const uint32_t shards_;
  PageTable table_;
};

}  // namespace
}  // namespace opic::page_table

int main(int argc, char** argv) {
  uint64_t pages = 10'000'000;
  uint32_t shards = 1024;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--pages=", 8) == 0) pages = std::strtoull(argv[i] + 8, nullptr, 10);
    if (std::strncmp(argv[i], "--shards=", 9) == 0) {
      shards = static_cast<uint32_t>(std::strtoul(argv[i] + 9, nullptr, 10));
    }
  }
  opic::page_table::Bench(std::max(pages, uint64_t{1000}), shards).Run();
}

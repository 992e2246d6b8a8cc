// opic-modules: page_table cash base
// What the page table promises (docs/design.md sections 4 and 9), measured:
//
//     page_table_bench [--pages=10000000] [--shards=1024] [--credits=8192] [--threads=PROCESSORS]
//
// Prints one line a figure. Credits come as a commit group of some 128 settled pages pays them: so
// many at once, by ascending page, to the pages of all shards; the median of seven turns counts.
// Pages are added by their first credit. Two threads pay, as in a node, if the machine has two
// processors, unless one is asked for. Times are of this thread's processor, so that others on the
// machine spoil them little; only what two threads did is measured by the clock.
// RSS is the process's, less what it had before the first page; its peak is what the kernel saw at
// any moment, growth included.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/byte_source.h"
#include "base/check.h"
#include "base/rng.h"
#include "page_table/page_table.h"

namespace opic::page_table {
namespace {

double Now(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec now;
  clock_gettime(clock, &now);
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
  Bench(uint64_t pages, uint32_t shards, uint64_t credits, bool helper)
      : pages_(pages),
        shards_(shards),
        credits_(credits),
        pays_by_(helper ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID),
        table_(shards) {
    if (helper) table_.UseHelper();
  }

  void Run() {
    std::printf("pages %.0e in %u shards, paid by %s\n", static_cast<double>(pages_), shards_,
                pays_by_ == CLOCK_MONOTONIC ? "two threads" : "one thread");
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
      while (added < until) {
        const double took = AddSome(added, until);
        slowest = std::max(slowest, took);
        seconds += took;
      }
      const double peak = (MemoryNow("VmHWM") - before) / static_cast<double>(added);
      const double rss = (MemoryNow("VmRSS") - before) / static_cast<double>(added);
      std::printf("  %11lu pages: RSS %.3f, peak %.3f bytes a page\n", added, rss, peak);
      worst = std::max(worst, peak);
    }
    Print("worst peak RSS while growing", worst, "bytes a page");
    Print("adds", static_cast<double>(pages_) / seconds / 1e6, "M/s");
    Print("slowest batch of adds", slowest * 1e3, "ms");
  }

  double AddSome(uint64_t& added, uint64_t until) {
    std::vector<page_table::Credit> batch;
    while (batch.size() < credits_ && added < until) {
      batch.push_back({PageOf(added++), cash::Amount()});
    }
    return Pay(batch, 0);
  }

  double Pay(std::vector<page_table::Credit>& batch, uint64_t log_number) {
    std::sort(batch.begin(), batch.end(),
              [](const auto& a, const auto& b) { return a.page < b.page; });
    const auto start = Now(pays_by_);
    table_.Apply(batch, log_number, cash::kSupply);
    return Now(pays_by_) - start;
  }

  // Batches to random known pages, as after a commit group.
  void Credit() {
    constexpr int kTurns = 7;
    std::array<double, kTurns> millions_a_second;
    for (int turn = 0; turn < kTurns; ++turn) millions_a_second[turn] = CreditTurn(turn);
    std::ranges::sort(millions_a_second);
    Print("credits in batches", millions_a_second[kTurns / 2], "M/s");
    Print("  slowest turn", millions_a_second.front(), "M/s");
    Print("  fastest turn", millions_a_second.back(), "M/s");
    OPIC_CHECK(table_.totals().pages <= pages_) << "credits added pages";
  }

  double CreditTurn(uint64_t turn) {
    const uint64_t batches = 8'000'000 / credits_;
    base::Rng rng(turn);
    std::vector<page_table::Credit> batch(credits_);
    double seconds = 0;
    for (uint64_t i = 0; i < batches; ++i) {
      for (auto& credit : batch) {
        credit = {PageOf(rng.Below(pages_)), cash::Amount(1 + rng.Below(100'000))};
      }
      seconds += Pay(batch, turn << 32 | i);
    }
    return static_cast<double>(batches * credits_) / seconds / 1e6;
  }

  // A turn as the settling takes it, with a floor that few pages reach, and one that sees all.
  void Sweep() {
    Filter rich;
    rich.magnitude_min = cash::Amount(1'000'000);
    Turn("sweep", rich);
    OPIC_CHECK(Turn("sweep that sees all", Filter()) == table_.totals().pages)
        << "pages were missed";
  }

  uint64_t Turn(const char* what, const Filter& filter) {
    Cursor cursor;
    uint64_t seen = 0;
    cash::Sum cash = 0;
    const auto start = Now();
    while (!table_.Walk(cursor, 100'000, filter, [&](const Page& page) {
      ++seen;
      cash += page.cash.value().units();
    })) {
    }
    OPIC_CHECK(seen == 0 || cash > 0) << what;
    Print(what, static_cast<double>(table_.totals().pages) / SecondsSince(start) / 1e6,
          "M pages/s");
    return seen;
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
      base::StringSource source(bytes);
      OPIC_CHECK(other.Load(shard, source).ok());
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
  const uint64_t credits_;
  const clockid_t pays_by_;
  PageTable table_;
};

}  // namespace
}  // namespace opic::page_table

int main(int argc, char** argv) {
  uint64_t pages = 10'000'000;
  uint32_t shards = 1024;
  uint64_t credits = 8192, threads = std::thread::hardware_concurrency();
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--pages=", 8) == 0) pages = std::strtoull(argv[i] + 8, nullptr, 10);
    if (std::strncmp(argv[i], "--shards=", 9) == 0) {
      shards = static_cast<uint32_t>(std::strtoul(argv[i] + 9, nullptr, 10));
    }
    if (std::strncmp(argv[i], "--credits=", 10) == 0) {
      credits = std::max<uint64_t>(1, std::strtoull(argv[i] + 10, nullptr, 10));
    }
    if (std::strncmp(argv[i], "--threads=", 10) == 0) {
      threads = std::strtoull(argv[i] + 10, nullptr, 10);
    }
  }
  opic::page_table::Bench(std::max(pages, uint64_t{1000}), shards, credits, threads > 1).Run();
}

// opic-modules: refresh base
// The calendar of due times, measured:
//
//     calendar_bench [--pages=N]...
//
// For each number of pages (100,000, a million and ten millions without arguments): processor time
// to make it from rows, time an order (take the next page, due again one period later) over two
// million orders, bytes a page in the store, and entries in memory. The store is in memory and
// costs no disk; pages are due over 30 days.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "refresh/calendar.h"
#include "tests/refresh/memory_calendar_store.h"

namespace opic::refresh {
namespace {

constexpr uint64_t kOrders = 2'000'000;
constexpr int64_t kPeriod = 30 * 86'400;

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void Run(uint64_t pages) {
  base::Rng rng(1);
  MemoryCalendarStore store;
  const int64_t start = 1'000'000'000;
  Calendar calendar = Calendar::Open(store, absl::FromUnixSeconds(start)).value();
  double begin = ProcessorSeconds();
  for (uint64_t page = 0; page < pages; ++page) {
    const auto due = start + static_cast<int64_t>(rng.Below(kPeriod));
    OPIC_CHECK(calendar.Add(PageId(ShardId{0}, page), absl::FromUnixSeconds(due)).ok());
  }
  OPIC_CHECK(calendar.Save().ok());
  const double made = ProcessorSeconds() - begin;
  const double bytes = static_cast<double>(store.bytes) / static_cast<double>(pages);
  // Time goes as fast as pages are due.
  double slowest = 0;
  uint64_t orders = 0, most = 0;
  begin = ProcessorSeconds();
  for (double now = 0; orders < kOrders; now += static_cast<double>(kPeriod) / pages) {
    const double before = orders % 16 == 0 ? ProcessorSeconds() : 0;
    const auto entry =
        calendar.Take(absl::FromUnixSeconds(start + static_cast<int64_t>(now))).value();
    if (before > 0) slowest = std::max(slowest, ProcessorSeconds() - before);
    if (!entry) continue;
    const absl::Time due = absl::FromUnixSeconds(entry->due + kPeriod);
    OPIC_CHECK(calendar.Add(entry->page, due).ok());
    calendar.Finish(*entry);
    most = std::max<uint64_t>(most, calendar.in_memory());
    if (++orders % 100'000 == 0) OPIC_CHECK(calendar.Save().ok());
  }
  std::printf(
      "%9lu pages: made in %.2f s, %.0f ns an order, slowest %.2f ms, %.1f bytes a page; "
      "at most %lu entries in memory, %zu chunks\n",
      pages, made, 1e9 * (ProcessorSeconds() - begin) / kOrders, 1e3 * slowest, bytes, most,
      calendar.chunks());
  std::fflush(stdout);
}

}  // namespace
}  // namespace opic::refresh

int main(int argc, char** argv) {
  std::vector<uint64_t> sizes;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--pages=", 8) != 0) {
      std::fprintf(stderr, "calendar_bench: %s: only --pages=N is known\n", argv[i]);
      return 2;
    }
    sizes.push_back(std::strtoull(argv[i] + 8, nullptr, 10));
  }
  if (sizes.empty()) sizes = {100'000, 1'000'000, 10'000'000};
  for (uint64_t pages : sizes) {
    if (pages > 0) opic::refresh::Run(pages);
  }
}

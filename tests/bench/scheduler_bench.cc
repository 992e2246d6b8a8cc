// opic-modules: scheduler schedule store base cash
// What an order and a queued page cost, with 100,000 hosts and 1,000,000 queued pages.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "absl/strings/str_cat.h"
#include "scheduler/scheduler.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

constexpr uint64_t kHosts = 100'000;
constexpr uint64_t kPages = 1'000'000;
const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

std::string HostOf(uint64_t page) { return absl::StrCat("www.host", page % kHosts, ".example"); }

// Ten hosts share one.
std::string AddressOf(uint64_t page) {
  const uint64_t number = page % kHosts / 10;
  return absl::StrCat("10.0.", number / 256, ".", number % 256);
}

uint64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void Offer(Scheduler& scheduler, uint64_t first, uint64_t count, absl::Time now) {
  schedule::Offers offers;
  for (uint64_t page = first; page < first + count; ++page) {
    offers.offers.push_back(
        {PageId::FromWord(page), HostOf(page), cash::Amount(page * 7919 % 997)});
  }
  scheduler.Handle(offers, now);
}

std::unique_ptr<Scheduler> Filled(store::Store& store) {
  auto scheduler = *Scheduler::Open({.queued_in_memory_max = 2 * kPages}, store, kStart);
  scheduler->Handle(schedule::NodeHello{.node = "bench", .fetches_max = 1000}, kStart);
  for (uint64_t page = 0; page < kPages; page += 1000) Offer(*scheduler, page, 1000, kStart);
  return scheduler;
}

// Order, outcome, and a page offered in its place: the queue stays as long as it is.
void BM_OrderAndOutcome(benchmark::State& state) {
  const auto store = NewMemoryStore();
  const auto scheduler = Filled(*store);
  absl::Time now = kStart;
  uint64_t next_page = kPages, orders = 0;
  for (auto _ : state) {
    now += absl::Milliseconds(10);
    uint64_t given = 0;
    for (const schedule::ToNode& message : scheduler->Tick(now)) {
      const auto* list = std::get_if<schedule::Orders>(&message);
      if (list == nullptr) continue;
      for (const schedule::Order& order : list->orders) {
        scheduler->Handle(schedule::Outcome{.page = order.page,
                                            .host = HostOf(order.page.word()),
                                            .requested = true,
                                            .ended = now,
                                            .status = 200,
                                            .address = AddressOf(order.page.word())},
                          now);
      }
      given += list->orders.size();
    }
    Offer(*scheduler, next_page, given, now);
    next_page += given;
    orders += given;
  }
  state.SetItemsProcessed(static_cast<int64_t>(orders));
}
BENCHMARK(BM_OrderAndOutcome)->Unit(benchmark::kMillisecond)->MinTime(1);

// Bytes a queued page beside the hosts, and bytes a host with one page.
void BM_Memory(benchmark::State& state) {
  for (auto _ : state) {
    const auto store = NewMemoryStore();
    const uint64_t empty = HeapBytes();
    auto scheduler = *Scheduler::Open({.queued_in_memory_max = 2 * kPages}, *store, kStart);
    scheduler->Handle(schedule::NodeHello{.node = "bench", .fetches_max = 1000}, kStart);
    for (uint64_t page = 0; page < kHosts; page += 1000) Offer(*scheduler, page, 1000, kStart);
    const uint64_t hosts = HeapBytes();
    for (uint64_t page = kHosts; page < kPages; page += 1000) Offer(*scheduler, page, 1000, kStart);
    state.counters["bytes/host"] = static_cast<double>(hosts - empty) / kHosts;
    state.counters["bytes/page"] = static_cast<double>(HeapBytes() - hosts) / (kPages - kHosts);
  }
}
BENCHMARK(BM_Memory)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace opic::scheduler

BENCHMARK_MAIN();

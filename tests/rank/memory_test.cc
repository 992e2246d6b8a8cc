// What off-line ranking allocates, counted by the allocator of this test program itself.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/rank/rank_web.h"

namespace {

std::atomic<int64_t> allocated = 0, most_allocated = 0;

void* Allocate(size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  const int64_t now = allocated += static_cast<int64_t>(malloc_usable_size(block));
  int64_t most = most_allocated;
  while (now > most && !most_allocated.compare_exchange_weak(most, now)) {
  }
  return block;
}

void Free(void* block) {
  if (block != nullptr) allocated -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, size_t) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }

namespace opic::rank {
namespace {

// The most that was allocated at one moment of `work`, beside what there was before.
template <typename Work>
int64_t PeakOf(const Work& work) {
  const int64_t before = allocated;
  most_allocated = before;
  work();
  return most_allocated - before;
}

constexpr uint32_t kPages = 300'000;

void RankFromDisk(const SlicePlan& plan, const RankOptions& options, const Rankings& rankings) {
  RankLinks links = RankLinks::Begin(plan).value();
  base::Rng rng(1);
  for (int i = 0; i < 600'000; ++i)
    ASSERT_TRUE(links.Add(rng.Below(kPages), rng.Below(kPages)).ok());
  const auto store = std::move(links).Finish().value();
  ASSERT_TRUE(store->on_disk());
  const auto engine = store->Prepare(options, rankings).value();
  ASSERT_TRUE(Iterate(*engine, options).ok());
  ASSERT_TRUE(RankReader::Of(*engine, rankings[0] ? Direction::kDirect : Direction::kInverse).ok());
}

class RankMemory : public testing::TestWithParam<size_t> {
 protected:
  SlicePlan Plan(uint32_t workers, int rankings) const {
    SlicePlan plan = PlanFor(true, workers, rankings);
    plan.resources.memory_bytes = GetParam();
    return plan;
  }
  static RankOptions FewIterations(Order order, uint32_t workers) {
    RankOptions options = Precisely(order, workers);
    options.iterations_max = 3;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(, RankMemory, testing::Values(512 << 10, 1 << 20, 3 << 20));

// The vectors alone are 4.8 MB.
TEST_P(RankMemory, StaysBelowTheBound) {
  EXPECT_LE(PeakOf([&] {
              RankFromDisk(Plan(1, 1), FewIterations(Order::kGaussSeidel, 1), Importance());
            }),
            static_cast<int64_t>(GetParam()));
}

TEST_P(RankMemory, IsSharedByWorkers) {
  EXPECT_LE(
      PeakOf([&] { RankFromDisk(Plan(2, 1), FewIterations(Order::kJacobi, 2), Importance()); }),
      static_cast<int64_t>(GetParam()));
}

TEST_P(RankMemory, HoldsBothRankings) {
  EXPECT_LE(PeakOf([&] {
              RankFromDisk(Plan(1, 2), FewIterations(Order::kJacobi, 1),
                           {Personalisation(), Personalisation()});
            }),
            static_cast<int64_t>(GetParam()));
}

// A page that links to all others, and one that all others link to.
TEST_P(RankMemory, DoesNotGrowWithAHub) {
  EXPECT_LE(PeakOf([&] {
              RankLinks links = RankLinks::Begin(Plan(1, 1)).value();
              for (uint32_t page = 1; page < kPages; ++page) {
                ASSERT_TRUE(links.Add(0, page).ok() && links.Add(page, 0).ok());
              }
              ASSERT_TRUE(std::move(links).Finish().ok());
            }),
            static_cast<int64_t>(GetParam()));
}

TEST(RankMemoryBound, IsNotTakenForAShortList) {
  EXPECT_LE(PeakOf([] {
              RankLinks links =
                  RankLinks::Begin(SlicePlan{.resources = {.memory_bytes = 4ull << 30}}).value();
              for (uint32_t page = 1; page < 100; ++page) ASSERT_TRUE(links.Add(0, page).ok());
            }),
            16 << 20);
}

TEST(RankMemoryBound, MustLeaveSomethingToEachWorker) {
  EXPECT_FALSE(RankLinks::Begin(SlicePlan{.resources = {.memory_bytes = kRankMemoryMin - 1}}).ok());
  EXPECT_FALSE(
      RankLinks::Begin(SlicePlan{.resources = {.memory_bytes = kRankMemoryMin}, .workers = 2})
          .ok());
}

}  // namespace
}  // namespace opic::rank

#include "page_table/arena.h"

#include <sys/mman.h>

#include <bit>
#include <cstring>

#include "base/check.h"

namespace opic::page_table {

namespace {

constexpr uint64_t kBlocksAPage = Arena::kHugePageBytes / Arena::kBlockBytes;
constexpr uint64_t kRegionBytes = 32 * Arena::kHugePageBytes;
// A huge page more than is used, to begin where one begins.
constexpr uint64_t kMappedBytes = kRegionBytes + Arena::kHugePageBytes;
// Huge pages that are kept for the next segment although no block of them is taken: the system
// takes long to clear one.
constexpr uint64_t kIdlePages = 4;
constexpr uint64_t kIdleShare = 32;  // and one of so many that are in use

uint64_t OffsetInPage(const uint8_t* at) {
  return std::bit_cast<uint64_t>(at) & (Arena::kHugePageBytes - 1);
}

}  // namespace

Arena::~Arena() {
  for (void* region : regions_) munmap(region, kMappedBytes);
}

void Arena::AddRegion() {
  void* mapped = mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  OPIC_CHECK(mapped != MAP_FAILED)
      << "no memory for " << kMappedBytes << " bytes more of the page table";
  regions_.push_back(mapped);
  auto* begin = static_cast<uint8_t*>(mapped);
  begin += (kHugePageBytes - OffsetInPage(begin)) % kHugePageBytes;
  madvise(begin, kRegionBytes, MADV_HUGEPAGE);  // a system without huge pages does without
  for (uint64_t offset = 0; offset < kRegionBytes; offset += kHugePageBytes) {
    const uint64_t number = pages_.size();
    pages_[begin + offset].number = number;
    open_[number] = begin + offset;
  }
}

uint8_t* Arena::Take() {
  uint8_t* const block = TakeUncleared();
  std::memset(block, 0, kBlockBytes);
  return block;
}

uint8_t* Arena::TakeUncleared() {
  const std::lock_guard<std::mutex> lock(mu_);
  if (open_.empty()) AddRegion();
  uint8_t* const begin = open_.begin()->second;
  HugePage& page = pages_[begin];
  touched_ += uint64_t{!page.touched};
  page.touched = true;
  const uint64_t block = (~page.taken)._Find_first();
  page.taken.set(block);
  ++taken_;
  if (page.taken.all()) open_.erase(page.number);
  return begin + block * kBlockBytes;
}

void Arena::GiveBack(uint8_t* block) {
  WillChange(block);
  const std::lock_guard<std::mutex> lock(mu_);
  const uint64_t offset = OffsetInPage(block);
  uint8_t* const begin = block - offset;
  HugePage& page = pages_[begin];
  page.taken.reset(offset / kBlockBytes);
  --taken_;
  open_[page.number] = begin;
  const uint64_t used = taken_ / kBlocksAPage;
  if (page.taken.none() && touched_ > used + used / kIdleShare + kIdlePages) {
    madvise(begin, kHugePageBytes, MADV_DONTNEED);
    page.touched = false;
    --touched_;
  }
}

}  // namespace opic::page_table

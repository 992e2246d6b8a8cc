// Memory for the segments of a table, in huge pages where the system has them: a credit touches a
// random line, and with pages of 4 KiB nearly each would also miss the processor's cache of
// addresses. A segment is smaller than a huge page while a table of 1,024 shards has less than some
// 2 * 10^8 pages, so segments share them.
//
// It is handed out in blocks of one size, so that a table that grows by copying one segment after
// the other leaves no holes too small for the next. Blocks are taken from the oldest huge page that
// has one; huge pages that are free as a whole go back to the system, but for a few.
//
// Thread safety: while nobody is told of changes, several threads may take and give back blocks,
// and say that they change. All else is the owner thread's, while the others do nothing.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace opic::page_table {

// Is told before a block changes.
class ChangeListener {
 public:
  virtual ~ChangeListener() = default;
  // The block that holds `at` is about to change.
  virtual void WillChange(const void* at) = 0;
};

class Arena {
 public:
  static constexpr uint64_t kBlockBytes = uint64_t{16} << 10;
  static constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // A block of zeros. Running out of memory ends the process.
  uint8_t* Take();
  // Likewise, with whatever it held before: for who fills it at once.
  uint8_t* TakeUncleared();
  // REQUIRES: one of these returned it.
  void GiveBack(uint8_t* block);

  // `told` is told before a block changes or is given back, until another one is, or none (null).
  void TellOfChanges(ChangeListener* told) { told_ = told; }
  // The block that holds `at` is about to change.
  void WillChange(const void* at) {
    if (told_ != nullptr) [[unlikely]]
      told_->WillChange(at);
  }

  // For tests.
  uint64_t taken_bytes() const { return taken_ * kBlockBytes; }
  // What it has in memory at most.
  uint64_t resident_bytes() const { return touched_ * kHugePageBytes; }

 private:
  struct HugePage {
    uint64_t number;
    std::bitset<kHugePageBytes / kBlockBytes> taken;
    bool touched = false;  // since the system last had it
  };

  void AddRegion();

  std::vector<void*> regions_;          // as mapped
  std::map<uint8_t*, HugePage> pages_;  // by where they begin
  std::map<uint64_t, uint8_t*> open_;   // huge pages with a free block, by number
  uint64_t taken_ = 0;                  // blocks
  uint64_t touched_ = 0;                // huge pages
  ChangeListener* told_ = nullptr;
  std::mutex mu_;  // of all but told_
};

}  // namespace opic::page_table

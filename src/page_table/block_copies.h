// Copies of blocks of lines as they were at a moment, made little by little while the table goes
// on: a block that changes, or is given back, is copied before that.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "page_table/arena.h"
#include "page_table/line.h"

namespace opic::page_table {

class BlockCopies final : public ChangeListener {
 public:
  // `into` must outlive it, and gives the memory.
  explicit BlockCopies(Arena& into) : into_(into) {}
  BlockCopies(const BlockCopies&) = delete;
  BlockCopies& operator=(const BlockCopies&) = delete;

  Arena& into() { return into_; }
  // Will be copied; then `*copy` is the copy. REQUIRES: `block` is a block of the table's arena.
  // `copy` stays where it is until then.
  void Add(const Line* block, Line** copy);
  // Copies the block that holds `at`, if it is still to be copied.
  void WillChange(const void* at) override;
  // Copies some more blocks, `bytes_max` at most, or one. True: all are copied.
  bool CopySome(uint64_t bytes_max);

 private:
  void Copy(const Line* block, Line** copy);

  Arena& into_;
  std::vector<const Line*> blocks_;  // all that were added
  size_t next_ = 0;                  // the first that CopySome has not come to
  absl::flat_hash_map<const Line*, Line**> left_;
};

}  // namespace opic::page_table

// Which pages of peers this process has announced to them by URL, so that a URL travels once: a
// bounded memory that forgets, never one that invents. A channel delivers in order and exactly
// once, so what was sealed with its URL is known at the other end before anything that is sealed
// after it.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace opic::ledger {

class AnnouncedPages {
 public:
  // Remembers some of the last `slots` pages, a power of two; 8 bytes each. 0: none.
  explicit AnnouncedPages(size_t slots) : words_(slots, kNone) {}

  // Whether the page was announced before; it is from now on.
  bool Announce(PageId page) {
    if (words_.empty()) return false;
    uint64_t& word = words_[(page.word() ^ page.word() >> 45) & (words_.size() - 1)];
    const bool known = word == page.word();
    word = page.word();
    return known;
  }
  void Clear() { words_.assign(words_.size(), kNone); }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  std::vector<uint64_t> words_;
};

}  // namespace opic::ledger

// The pages of a shard while they are few: an array of words sorted by id. A segment has a least
// size of 36 KiB, which a thousand shards of a small crawl should not pay.
//
// Thread safety: confined to one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "page_table/place.h"
#include "page_table/system_allocator.h"

namespace opic::page_table {

class Roster {
 public:
  uint64_t size() const { return words_.size(); }
  uint64_t capacity() const { return words_.capacity(); }

  // The steps of a lookup, for who has many to do at once. Ids are hashes: a page lies near its
  // share of the array, nearer still by the page that lies there. REQUIRES: not empty.
  uint64_t Guess(uint64_t id) const { return id * size() >> kPageIdBits; }
  uint64_t SecondGuess(uint64_t id, uint64_t guess) const {
    const auto off = static_cast<int64_t>(id - (words_[guess] >> State::kBits));
    const int64_t index =
        static_cast<int64_t>(guess) + (off * static_cast<int64_t>(size()) >> kPageIdBits);
    return static_cast<uint64_t>(std::clamp<int64_t>(index, 0, static_cast<int64_t>(size()) - 1));
  }
  void Prefetch(uint64_t guess) const { __builtin_prefetch(&words_[guess]); }
  // Nowhere: not known.
  Place FindNear(uint64_t id, uint64_t guess);

  // Nowhere: not known.
  Place Find(uint64_t id);
  // REQUIRES: not known.
  Place Add(uint64_t id, State state);

  // Calls visit(id, place) for the pages of index begin <= index < end, by ascending id.
  template <typename Visit>
  void ForEach(uint64_t begin, uint64_t end, Visit&& visit) {
    for (uint64_t index = begin; index < end; ++index) {
      visit(words_[index] >> State::kBits, PlaceOf(index));
    }
  }

  // id << State::kBits | state, ascending.
  using Words = std::vector<uint64_t, SystemAllocator<uint64_t>>;
  const Words& words() const { return words_; }

 private:
  // The index of the first page not below `id`, looked for from `guess` on.
  uint64_t LowerBound(uint64_t id, uint64_t guess) const;
  uint64_t LowerBound(uint64_t id) const;
  Place PlaceOf(uint64_t index) {
    uint8_t* word = reinterpret_cast<uint8_t*>(&words_[index]);
    return Place(word, word + 2);
  }

  Words words_;
};

}  // namespace opic::page_table

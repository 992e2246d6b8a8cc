// Part of a shard's pages, by a range of ids: a two-choice bucketised cuckoo table that keeps only
// part of the id.
//
// Let the range begin at F and hold 2^k ids, and let there be n lines. With the width w = ceil(2^k
// / n) the id F + x has
//
//   home       h = x / w              the first line it may lie in
//   remainder  r = x mod w            what the slot keeps, as tag = r + 1
//   second     s = (H(r) - h) mod n   the other line it may lie in, H a hash onto [0, n)
//
// Since h = (H(r) - s) mod n as well, the same step leads from either line to the other, and a slot
// gives back its id from its line, its tag and whether it is away: x = h * w + r. Tags have 36 bits
// and 0 means empty, so w <= 2^36 - 1: a range of 2^45 ids needs n >= 513. Any n above that will
// do, so a segment grows by as little as it likes.
//
// Thread safety: confined to one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "page_table/lines.h"

namespace opic::page_table {

class Segment {
 public:
  // Where an id belongs first; valid for the segment it was asked of until that is replaced.
  struct Home {
    uint64_t line = 0;
    uint64_t tag = 0;
  };

  // An empty segment of the ids first <= id < first + 2^id_bits. REQUIRES: lines >=
  // LinesMin(id_bits). `arena` must outlive it.
  Segment(Arena& arena, uint64_t first, int id_bits, uint64_t lines);
  static uint64_t LinesMin(int id_bits);
  // The same pages, once `copies` has copied all blocks.
  Segment CopyBy(BlockCopies& copies) const;

  uint64_t first() const { return first_; }
  int id_bits() const { return id_bits_; }
  uint64_t pages() const { return pages_; }
  uint64_t lines() const { return lines_.count(); }
  // One more would look for room too long.
  bool full() const { return pages_ >= pages_max_; }

  // The steps of a lookup, for who has many to do at once: the line where a page lies mostly, and
  // the other one if it is not there. Valid while the shard's moves() stay as they are.
  struct Lookup {
    const Segment* segment = nullptr;
    Line* line = nullptr;
    uint64_t key = 0;  // in `line`
    uint64_t home = 0;
    int slot = -1;  // in `line`; -1: not looked for yet, or not there

    // True: the page is in its first line. Else `line` is the second from now on.
    bool IsAtHome() {
      slot = line->SlotOf(key);
      if (slot >= 0) [[likely]]
        return true;
      line = &segment->lines_[segment->SecondOf(home, key)];
      key |= kAway;
      return false;
    }
    // Nowhere: not known. REQUIRES: IsAtHome was called.
    Place Find() const {
      const int found = slot >= 0 ? slot : line->SlotOf(key);
      return found < 0 ? Place() : line->place(found);
    }
    // Whether a page that Find has not found was added to its first line since IsAtHome was called.
    bool CameHome() const { return segment->lines_[home].SlotOf(key & kTagMask) >= 0; }
  };
  Home HomeOf(uint64_t id) const;
  Lookup LookupOf(uint64_t id) const {
    const Home home = HomeOf(id);
    return {this, &lines_[home.line], home.tag, home.line};
  }

  // Nowhere: not known.
  Place Find(uint64_t id) const {
    Lookup lookup = LookupOf(id);
    lookup.IsAtHome();
    return lookup.Find();
  }

  // Adds a page, moving others to make room. Nowhere: no room was found and nothing has changed.
  // REQUIRES: not known.
  Place Add(uint64_t id, State state);
  // Likewise, but only to its first line. Who has all pages at once adds those first whose first
  // line has room, and then the others: so most lookups need one line.
  Place AddAtHome(uint64_t id, State state);
  // Likewise, to a segment that nothing else adds to meanwhile; false: its first line is full.
  // `taken`: how many slots of each line are, 0 at first. A search of the line would have to wait
  // for what was just written to it.
  bool FillAtHome(uint64_t id, State state, std::vector<uint8_t>& taken);
  // How often Add has moved a page that was there before.
  uint64_t moves() const { return moves_; }

  // Calls visit(id, place) for every page of lines begin <= line < end, in no particular order.
  template <typename Visit>
  void ForEach(uint64_t begin, uint64_t end, Visit&& visit) const {
    ForEach(begin, end, Wanted(), visit);
  }
  // Likewise, for the pages in such a state.
  template <typename Visit>
  void ForEach(uint64_t begin, uint64_t end, const Wanted& wanted, Visit&& visit) const {
    for (uint64_t line = begin; line < end; ++line) {
      for (uint32_t slots = lines_[line].SlotsOf(wanted); slots != 0; slots &= slots - 1) {
        const int slot = std::countr_zero(slots);
        visit(IdOf(line, lines_[line].key(slot)), lines_[line].place(slot));
      }
    }
  }
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    ForEach(0, lines(), visit);
  }

  // For the pages first <= id < last of it. A line outside of theirs has only pages that are away.
  template <typename Visit>
  void ForEachIn(uint64_t first, uint64_t last, Visit&& visit) const {
    const uint64_t begin = HomeOf(first).line, end = HomeOf(last - 1).line;
    for (uint64_t line = 0; line < lines(); ++line) {
      uint32_t slots = lines_[line].SlotsOf(Wanted());
      if (line < begin || line > end) slots &= lines_[line].SlotsAway();
      for (; slots != 0; slots &= slots - 1) {
        const int slot = std::countr_zero(slots);
        const uint64_t id = IdOf(line, lines_[line].key(slot));
        if (id >= first && id < last) visit(id, lines_[line].place(slot));
      }
    }
  }

  // All pages by ascending id, each as id << State::kBits | state. Needs 8 bytes a page and 4 a
  // line for a while.
  std::vector<uint64_t> Sorted() const;

 private:
  uint64_t SecondOf(uint64_t line, uint64_t tag) const;
  uint64_t IdOf(uint64_t line, uint64_t key) const {
    const uint64_t tag = key & kTagMask;
    const uint64_t home = (key & kAway) == 0 ? line : SecondOf(line, tag);
    return first_ + home * width_ + (tag - 1);
  }
  // Puts a page into a slot of the line. Nowhere: it is full.
  Place Put(uint64_t index, uint64_t key, State state);
  // Frees a slot in one of the two lines by moving pages to their other lines; false: not found
  // nearby.
  bool MakeRoom(uint64_t home, uint64_t second);

  Segment(const Segment& other, BlockCopies& copies);

  uint64_t first_;
  int id_bits_;
  uint64_t width_;       // ids a line
  uint64_t reciprocal_;  // ceil(2^(64 + shift_) / width_): division by multiplication
  int shift_;
  uint64_t pages_max_;
  uint64_t pages_ = 0;
  uint64_t moves_ = 0;
  Lines lines_;
};

inline Segment::Home Segment::HomeOf(uint64_t id) const {
  const uint64_t x = id - first_;
  const uint64_t line =
      static_cast<uint64_t>(static_cast<unsigned __int128>(x) * reciprocal_ >> 64) >> shift_;
  return {line, x - line * width_ + 1};
}

inline uint64_t Segment::SecondOf(uint64_t line, uint64_t tag) const {
  // Two rounds: ids that follow each other must not have related second lines.
  uint64_t hash = tag * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
  const uint64_t sum = (hash >> 32) * lines_.count() >> 32;
  return sum >= line ? sum - line : sum + lines_.count() - line;
}

}  // namespace opic::page_table

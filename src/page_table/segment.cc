#include "page_table/segment.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace opic::page_table {

namespace {

constexpr uint64_t kWidthMax = kTagMask;  // remainder 0 to kWidthMax - 1, tag 1 to kWidthMax

constexpr double kLoadMax = 0.97;

uint64_t PagesMax(uint64_t lines) {
  return static_cast<uint64_t>(static_cast<double>(lines * kSlotsALine) * kLoadMax);
}

uint64_t CeilDivide(uint64_t x, uint64_t by) { return (x + by - 1) / by; }

// A move of breadth-first search: the page in `slot` of the line of step `from` can go to `line`.
// No default values: an array of them is not worth clearing.
struct Step {
  uint32_t line;
  int16_t from;  // -1: one of the two lines to begin with
  uint8_t slot;
};

// Lines looked at before a segment counts as full. At a load of 0.97 about ten are enough.
constexpr int kStepsMax = 512;

}  // namespace

Segment::Segment(Arena& arena, uint64_t first, int id_bits, uint64_t lines)
    : first_(first),
      id_bits_(id_bits),
      width_(CeilDivide(uint64_t{1} << id_bits, lines)),
      shift_(std::bit_width(width_) - 2),
      pages_max_(PagesMax(lines)),
      lines_(arena, lines) {
  OPIC_CHECK(lines >= LinesMin(id_bits) && lines >> 32 == 0 && width_ >= 2) << lines << " lines";
  // With reciprocal = (2^(64 + shift) + e) / width, e < width < 4 * 2^shift, a quotient is wrong
  // only from x * e >= 2^(64 + shift) on: never for x < 2^45.
  const unsigned __int128 power = static_cast<unsigned __int128>(1) << (64 + shift_);
  reciprocal_ = static_cast<uint64_t>((power + width_ - 1) / width_);
}

Segment::Segment(const Segment& other, BlockCopies& copies)
    : first_(other.first_),
      id_bits_(other.id_bits_),
      width_(other.width_),
      reciprocal_(other.reciprocal_),
      shift_(other.shift_),
      pages_max_(other.pages_max_),
      pages_(other.pages_),
      lines_(other.lines_, copies) {}

Segment Segment::CopyBy(BlockCopies& copies) const { return {*this, copies}; }

uint64_t Segment::LinesMin(int id_bits) { return CeilDivide(uint64_t{1} << id_bits, kWidthMax); }

Place Segment::Put(uint64_t index, uint64_t key, State state) {
  Line& line = lines_[index];
  const int slot = line.SlotOf(kNoKey);
  if (slot < 0) return Place();
  lines_.WillChange(line);
  line.Put(slot, key, state);
  ++pages_;
  return line.place(slot);
}

Place Segment::AddAtHome(uint64_t id, State state) {
  const Home home = HomeOf(id);
  return Put(home.line, home.tag, state);
}

bool Segment::FillAtHome(uint64_t id, State state, std::vector<uint8_t>& taken) {
  const Home home = HomeOf(id);
  uint8_t& slot = taken[home.line];
  if (slot == kSlotsALine) return false;
  lines_.ToChange(home.line).Put(slot++, home.tag, state);
  ++pages_;
  return true;
}

Place Segment::Add(uint64_t id, State state) {
  const Home home = HomeOf(id);
  uint64_t second;
  do {
    if (const Place place = Put(home.line, home.tag, state)) return place;
    second = SecondOf(home.line, home.tag);
    if (const Place place = Put(second, home.tag | kAway, state)) return place;
  } while (MakeRoom(home.line, second));
  return Place();
}

bool Segment::MakeRoom(uint64_t home, uint64_t second) {
  std::array<Step, kStepsMax> steps;
  steps[0] = {static_cast<uint32_t>(home), -1, 0};
  steps[1] = {static_cast<uint32_t>(second), -1, 0};
  int known = 2;
  int free = -1;  // the step whose line has an empty slot
  for (int16_t from = 0; from < known && free < 0; ++from) {
    const Line& line = lines_[steps[from].line];
    const int begin = known, end = std::min(known + kSlotsALine, kStepsMax);
    for (uint8_t slot = 0; known < end; ++slot) {
      const uint64_t other = SecondOf(steps[from].line, line.key(slot) & kTagMask);
      steps[known++] = {static_cast<uint32_t>(other), from, slot};
      __builtin_prefetch(&lines_[other]);
    }
    for (int step = begin; step < end && free < 0; ++step) {
      if (lines_[steps[step].line].SlotOf(kNoKey) >= 0) free = step;
    }
  }
  if (free < 0) return false;
  ++moves_;
  // Breadth first finds a shortest path, so no line is on it twice and each move still holds.
  for (int at = free; steps[at].from >= 0; at = steps[at].from) {
    Line& target = lines_.ToChange(steps[at].line);
    Line& source = lines_.ToChange(steps[steps[at].from].line);
    const int slot = steps[at].slot;
    target.Put(target.SlotOf(kNoKey), source.key(slot) ^ kAway, source.state(slot));
    source.Clear(slot);
  }
  return true;
}

// Homes ascend with ids, so that counting pages by home sorts them but for the few that share one.
std::vector<uint64_t> Segment::Sorted() const {
  std::vector<uint32_t> ends(lines() + 1);
  ForEach([&](uint64_t id, Place) { ++ends[HomeOf(id).line + 1]; });
  for (uint64_t line = 1; line <= lines(); ++line) ends[line] += ends[line - 1];
  std::vector<uint64_t> pages(pages_);
  ForEach([&](uint64_t id, Place place) {
    pages[ends[HomeOf(id).line]++] = id << State::kBits | place.Get().bits();
  });
  auto begin = pages.begin();  // ends[line] has moved on to where the line's pages end
  for (uint64_t line = 0; line < lines(); ++line) {
    const auto end = pages.begin() + ends[line];
    std::sort(begin, end);
    begin = end;
  }
  return pages;
}

}  // namespace opic::page_table

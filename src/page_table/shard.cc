#include "page_table/shard.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/rng.h"

namespace opic::page_table {

namespace {

constexpr uint64_t kRosterPagesMax = 4'000;
// A segment that must grow with so many pages is halved instead: copying them takes some 8 ms.
constexpr uint64_t kSplitPages = uint64_t{1} << 18;
// 65,536 segments a shard; ids are hashes, so this bounds only what crafted ids can cost.
constexpr int kDepthMax = 16;
constexpr double kGrowth = 1.20;
constexpr double kLoadOfNew = 0.96;

uint64_t RoundedUp(double lines) {
  const auto blocks = std::ceil(lines / static_cast<double>(Lines::kLinesABlock));
  return static_cast<uint64_t>(blocks) * Lines::kLinesABlock;
}

}  // namespace

std::unique_ptr<Shard> Shard::CopyBy(BlockCopies& copies) const {
  auto copy = std::make_unique<Shard>(id_, copies.into());
  copy->depth_ = depth_;
  copy->directory_ = directory_;
  copy->roster_ = roster_;
  for (const Segment& segment : segments_) copy->segments_.push_back(segment.CopyBy(copies));
  copy->bytes_ = bytes_;
  return copy;
}

Place Shard::Find(uint64_t id) {
  const Segment* segment = SegmentOf(id);
  return segment == nullptr ? roster_.Find(id) : segment->Find(id);
}

Place Shard::Add(uint64_t id, State state) {
  if (IsRoster()) {
    if (roster_.size() < kRosterPagesMax) {
      const Place place = roster_.Add(id, state);
      ++moves_;
      bytes_ = roster_.capacity() * sizeof(uint64_t);
      return place;
    }
    BecomeSegment();
  }
  while (true) {
    const uint32_t index = directory_[id >> (kPageIdBits - depth_)];
    Segment& segment = segments_[index];
    if (!segment.full()) {
      const uint64_t before = segment.moves();
      const Place place = segment.Add(id, state);
      moves_ += segment.moves() - before;
      if (place) return place;
    }
    MakeRoom(index);
  }
}

Place Shard::AddAtHome(uint64_t id, State state) {
  if (IsRoster()) return Add(id, state);
  Segment& segment = segments_[directory_[id >> (kPageIdBits - depth_)]];
  return segment.full() ? Place() : segment.AddAtHome(id, state);
}

void Shard::Reserve(uint64_t pages) {
  OPIC_CHECK(bytes_ == 0) << "reserved room in a shard with pages";
  if (pages <= kRosterPagesMax) return;
  while (depth_ < kDepthMax && pages >> depth_ >= kSplitPages) ++depth_;
  const int id_bits = kPageIdBits - depth_;
  for (uint32_t index = 0; index < 1u << depth_; ++index) {
    const uint64_t first = uint64_t{index} << id_bits;
    segments_.emplace_back(arena_, first, id_bits, LinesFor(first, id_bits, pages >> depth_, 0));
    directory_.push_back(index);
  }
  CountBytes();
}

uint64_t Shard::LinesFor(uint64_t first, int id_bits, uint64_t pages, uint64_t lines_above) const {
  const double wanted =
      std::max({static_cast<double>(pages) / (kSlotsALine * kLoadOfNew),
                static_cast<double>(lines_above), static_cast<double>(Segment::LinesMin(id_bits))});
  const uint64_t phase = base::Mix64(PageId(id_, first).word());
  double lines = static_cast<double>(Lines::kLinesABlock) * (1 + 0x1.0p-64 * (kGrowth - 1) * phase);
  while (lines < wanted) lines *= kGrowth;
  return RoundedUp(lines);
}

Segment Shard::Rebuilt(const Segment& from, uint64_t first, int id_bits, uint64_t pages,
                       uint64_t lines_above) const {
  const uint64_t last = first + (uint64_t{1} << id_bits);
  for (uint64_t lines = LinesFor(first, id_bits, pages, lines_above);;
       lines = LinesFor(first, id_bits, pages, lines)) {
    Segment segment(arena_, first, id_bits, lines);
    std::vector<uint8_t> taken(lines);
    std::vector<std::pair<uint64_t, State>> crowded;  // whose first line is full
    from.ForEachIn(first, last, [&](uint64_t id, Place place) {
      const State state = place.Get();
      if (!segment.FillAtHome(id, state, taken)) crowded.emplace_back(id, state);
    });
    if (std::ranges::all_of(crowded, [&](const auto& page) {
          return static_cast<bool>(segment.Add(page.first, page.second));
        })) {
      return segment;
    }
  }
}

void Shard::BecomeSegment() {
  ++moves_;
  const Roster few = std::exchange(roster_, Roster());
  directory_ = {0};
  segments_.emplace_back(arena_, 0, kPageIdBits, LinesFor(0, kPageIdBits, few.size(), 0));
  for (const uint64_t word : few.words()) {
    Add(word >> State::kBits, State::FromPacked(word));
  }
  CountBytes();
}

void Shard::MakeRoom(uint32_t index) {
  ++moves_;
  const Segment& old = segments_[index];
  if (old.pages() >= kSplitPages && old.id_bits() > kPageIdBits - kDepthMax) {
    Split(index);
  } else {
    segments_[index] = Rebuilt(old, old.first(), old.id_bits(), old.pages(), old.lines());
  }
  CountBytes();
}

void Shard::Split(uint32_t index) {
  const Segment old = std::move(segments_[index]);
  if (old.id_bits() == kPageIdBits - depth_) {
    ++depth_;
    std::vector<uint32_t> twice;
    for (const uint32_t entry : directory_) twice.insert(twice.end(), 2, entry);
    directory_ = std::move(twice);
  }
  const int id_bits = old.id_bits() - 1;
  const uint64_t middle = old.first() + (uint64_t{1} << id_bits);
  uint64_t below = 0;
  old.ForEachIn(old.first(), middle, [&](uint64_t, Place) { ++below; });
  segments_[index] = Rebuilt(old, old.first(), id_bits, below, 0);
  segments_.push_back(Rebuilt(old, middle, id_bits, old.pages() - below, 0));
  const uint64_t entries = uint64_t{1} << (id_bits - (kPageIdBits - depth_));
  std::fill_n(directory_.begin() + static_cast<ptrdiff_t>(middle >> (kPageIdBits - depth_)),
              entries, static_cast<uint32_t>(segments_.size() - 1));
}

void Shard::CountBytes() {
  bytes_ = 0;
  for (const Segment& segment : segments_) bytes_ += segment.lines() * sizeof(Line);
}

bool Shard::Walk(uint32_t& segment, uint64_t& line, uint64_t& slots, const Wanted& wanted,
                 absl::FunctionRef<void(uint64_t id, State)> visit) {
  const auto show = [&](uint64_t id, Place place) { visit(id, place.Get()); };
  const auto show_wanted = [&](uint64_t id, Place place) {
    if (wanted.Is(place.Get())) show(id, place);
  };
  const uint32_t parts = IsRoster() ? 1 : static_cast<uint32_t>(segments_.size());
  for (; segment < parts; ++segment, line = 0) {
    const uint64_t lines =
        IsRoster() ? (roster_.size() + kSlotsALine - 1) / kSlotsALine : segments_[segment].lines();
    if (slots == 0) return false;
    if (line >= lines) continue;
    const uint64_t end = line + std::min(lines - line, (slots - 1) / kSlotsALine + 1);
    if (IsRoster()) {
      roster_.ForEach(line * kSlotsALine, std::min(end * kSlotsALine, roster_.size()), show_wanted);
    } else {
      segments_[segment].ForEach(line, end, wanted, show);
    }
    slots -= std::min(slots, (end - line) * kSlotsALine);
    line = end;
    if (end < lines) return false;
  }
  return true;
}

void Shard::Locate(uint64_t offset, uint32_t& segment, uint64_t& line) const {
  segment = 0;
  if (IsRoster()) {
    const uint64_t index = offset * roster_.size() / bytes_;  // what is reserved has no pages
    line = index / kSlotsALine;
    return;
  }
  while (offset >= segments_[segment].lines() * sizeof(Line)) {
    offset -= segments_[segment++].lines() * sizeof(Line);
  }
  line = offset / sizeof(Line);
}

void Shard::ForEachSorted(absl::FunctionRef<void(uint64_t id, State)> visit) const {
  const auto show = [&](const auto& words) {
    for (const uint64_t word : words) {
      visit(word >> State::kBits, State::FromPacked(word));
    }
  };
  if (IsRoster()) return show(roster_.words());
  for (uint64_t entry = 0; entry < directory_.size();) {
    const Segment& segment = segments_[directory_[entry]];
    show(segment.Sorted());
    entry += uint64_t{1} << (segment.id_bits() - (kPageIdBits - depth_));
  }
}

}  // namespace opic::page_table

#include "refresh/calendar.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::refresh {
namespace {

constexpr int kDigitBits = 6;  // a bucket holds 64 of the next level
// Entries that were due when they came and found no room among the ready ones.
constexpr int64_t kLate = std::numeric_limits<int64_t>::min();
constexpr int kChunksUnpackedAtOnce = 4;
constexpr int64_t kDueMin = -62'135'596'800, kDueMax = 253'402'300'799;

// Number of entries, each page and the seconds since the due time before, and a checksum.
std::string EncodeEntries(std::vector<CalendarEntry> entries) {
  std::sort(entries.begin(), entries.end());
  std::string bytes;
  bytes.reserve(16 + 10 * entries.size());
  base::AppendVarint(bytes, entries.size());
  int64_t before = 0;
  for (const CalendarEntry& entry : entries) {
    base::AppendZigzag(bytes, entry.due - before);
    base::AppendFixed64(bytes, entry.page.word());
    before = entry.due;
  }
  base::AppendFixed64(bytes, base::Hash64(bytes));
  return bytes;
}

absl::StatusOr<std::vector<CalendarEntry>> DecodeEntries(std::string_view bytes) {
  const auto damaged = [] { return absl::DataLossError("a chunk of the calendar is damaged"); };
  if (bytes.size() < 8) return damaged();
  base::Decoder checksum(bytes.substr(bytes.size() - 8));
  bytes.remove_suffix(8);
  if (checksum.Fixed64() != base::Hash64(bytes)) return damaged();
  base::Decoder in(bytes);
  const uint64_t count = in.Varint();
  if (count > bytes.size() / 9) return damaged();
  std::vector<CalendarEntry> entries;
  entries.reserve(count);
  int64_t due = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (__builtin_add_overflow(due, in.Zigzag(), &due)) return damaged();
    const uint64_t word = in.Fixed64();
    if (!in.ok() || !PageId::IsValidWord(word) || due < kDueMin || due > kDueMax) return damaged();
    entries.push_back({due, PageId::FromWord(word)});
  }
  if (!in.done()) return damaged();
  return entries;
}

absl::Status Damaged(const ChunkKey& chunk) {
  return absl::DataLossError(
      absl::StrCat("chunk ", chunk.number,
                   " of the calendar is damaged: check the disk and restart the node, which makes "
                   "the calendar anew"));
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

}  // namespace

int64_t DueSecond(absl::Time due) { return std::clamp(absl::ToUnixSeconds(due), kDueMin, kDueMax); }

absl::StatusOr<Calendar> Calendar::Open(CalendarStore& store, absl::Time now,
                                        const CalendarOptions& options) {
  OPIC_CHECK(options.bucket_seconds >= 1 && options.bucket_seconds <= 1'000'000);
  OPIC_CHECK(options.chunk_max >= 1 && options.chunk_max <= 1u << 20);
  Calendar calendar(store, options);
  calendar.position_ = FloorDivide(DueSecond(now), options.bucket_seconds);
  ASSIGN_OR_RETURN(const std::vector<ChunkKey> keys, store.List());
  for (const ChunkKey& key : keys) {
    calendar.buckets_[{key.start, key.level}].chunks.push_back(key.number);
    calendar.next_number_ = std::max(calendar.next_number_, key.number + 1);
    ++calendar.chunks_;
  }
  return calendar;
}

// The widest bucket in which `due` and now do not lie together: as in a radix heap, levels are the
// digits in which their numbers differ.
Calendar::BucketKey Calendar::BucketOf(int64_t due) const {
  const int64_t narrow = FloorDivide(due, options_.bucket_seconds);
  const uint64_t differing = static_cast<uint64_t>(narrow ^ position_);
  // Beyond a change of sign nothing is shared: before 1970, which no clock says.
  const int level = std::min((static_cast<int>(std::bit_width(differing)) - 1) / kDigitBits, 9);
  const int64_t start = (narrow >> (kDigitBits * level)) << (kDigitBits * level);
  return {start * options_.bucket_seconds, level};
}

absl::Status Calendar::Add(PageId page, absl::Time due) {
  if (due == absl::InfiniteFuture()) return absl::OkStatus();
  return Put({DueSecond(due), page}, options_.chunk_max);
}

absl::Status Calendar::Put(const CalendarEntry& entry, size_t ready_max) {
  const bool reached = FloorDivide(entry.due, options_.bucket_seconds) <= position_;
  if (reached && ready_.size() < ready_max) {
    ready_.push(entry);
    return absl::OkStatus();
  }
  buckets_[reached ? BucketKey{kLate, 0} : BucketOf(entry.due)].buffer.push_back(entry);
  ++buffered_;
  return buffered_ > options_.buffered_max ? SpillFullest() : absl::OkStatus();
}

Chunk Calendar::MakeChunk(const BucketKey& key, std::vector<CalendarEntry> entries) {
  const uint64_t number = next_number_++;
  return {{key.start, key.level, number}, EncodeEntries(std::move(entries))};
}

absl::Status Calendar::SpillFullest() {
  const auto fullest = std::max_element(
      buckets_.begin(), buckets_.end(),
      [](const auto& a, const auto& b) { return a.second.buffer.size() < b.second.buffer.size(); });
  auto& [key, bucket] = *fullest;
  const size_t begin = bucket.buffer.size() - std::min(bucket.buffer.size(), options_.chunk_max);
  const auto first = bucket.buffer.begin() + static_cast<ptrdiff_t>(begin);
  const Chunk chunk = MakeChunk(key, {first, bucket.buffer.end()});
  RETURN_IF_ERROR(store_->Write({chunk}, {}));
  buffered_ -= bucket.buffer.size() - begin;
  bucket.buffer.resize(begin);
  if (begin == 0) bucket.buffer.shrink_to_fit();
  bucket.chunks.push_back(chunk.key.number);
  ++chunks_;
  return absl::OkStatus();
}

bool Calendar::busy() const {
  return !buckets_.empty() &&
         (buckets_.begin()->first.start == kLate ||
          buckets_.begin()->first.start <= position_ * options_.bucket_seconds);
}

// Takes a chunk, or what is in memory, of the first bucket apart.
absl::Status Calendar::UnpackSome() {
  const auto first = buckets_.begin();
  const BucketKey key = first->first;
  std::vector<CalendarEntry> entries;
  if (Bucket& bucket = first->second; !bucket.chunks.empty()) {
    const ChunkKey chunk{key.start, key.level, bucket.chunks.back()};
    ASSIGN_OR_RETURN(const std::string bytes, store_->Read(chunk));
    absl::StatusOr<std::vector<CalendarEntry>> decoded = DecodeEntries(bytes);
    if (!decoded.ok()) return Damaged(chunk);
    entries = *std::move(decoded);
    bucket.chunks.pop_back(), --chunks_;
    consumed_.push_back(chunk);
  } else {
    const size_t count = std::min(bucket.buffer.size(), options_.chunk_max);
    entries.assign(bucket.buffer.end() - static_cast<ptrdiff_t>(count), bucket.buffer.end());
    bucket.buffer.resize(bucket.buffer.size() - count);
    buffered_ -= count;
  }
  if (first->second.chunks.empty() && first->second.buffer.empty()) buckets_.erase(first);
  // There is room for them: a chunk is unpacked when fewer than a chunk are ready.
  for (const CalendarEntry& entry : entries) {
    RETURN_IF_ERROR(Put(entry, std::numeric_limits<size_t>::max()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<CalendarEntry>> Calendar::Take(absl::Time now) {
  const int64_t second = DueSecond(now);
  position_ = std::max(position_, FloorDivide(second, options_.bucket_seconds));
  for (int i = 0; i < kChunksUnpackedAtOnce && busy() && ready_.size() < options_.chunk_max; ++i) {
    RETURN_IF_ERROR(UnpackSome());
  }
  if (ready_.empty() || ready_.top().due > second) return std::nullopt;
  const CalendarEntry entry = ready_.top();
  ready_.pop();
  taken_.insert(entry);
  return entry;
}

absl::Status Calendar::Save() {
  std::vector<Chunk> added;
  for (auto& [key, bucket] : buckets_) {
    for (size_t begin = 0; begin < bucket.buffer.size(); begin += options_.chunk_max) {
      const size_t end = std::min(begin + options_.chunk_max, bucket.buffer.size());
      const auto at = bucket.buffer.begin();
      added.push_back(
          MakeChunk(key, {at + static_cast<ptrdiff_t>(begin), at + static_cast<ptrdiff_t>(end)}));
    }
  }
  const size_t of_buckets = added.size();
  // Ready and taken entries stay in memory; their chunks are for the case of a crash, and the next
  // Save replaces them.
  std::vector<CalendarEntry> open;
  for (auto ready = ready_; !ready.empty(); ready.pop()) open.push_back(ready.top());
  open.insert(open.end(), taken_.begin(), taken_.end());
  for (size_t begin = 0; begin < open.size(); begin += options_.chunk_max) {
    const size_t end = std::min(begin + options_.chunk_max, open.size());
    const auto at = open.begin();
    added.push_back(MakeChunk(
        {kLate, 0}, {at + static_cast<ptrdiff_t>(begin), at + static_cast<ptrdiff_t>(end)}));
  }
  RETURN_IF_ERROR(store_->Write(added, consumed_));
  consumed_.clear();
  for (size_t i = 0; i < added.size(); ++i) {
    const ChunkKey& key = added[i].key;
    if (i < of_buckets) {
      buckets_[{key.start, key.level}].chunks.push_back(key.number), ++chunks_;
    } else {
      consumed_.push_back(key);
    }
  }
  for (auto& [key, bucket] : buckets_) std::vector<CalendarEntry>().swap(bucket.buffer);
  buffered_ = 0;
  return absl::OkStatus();
}

}  // namespace opic::refresh

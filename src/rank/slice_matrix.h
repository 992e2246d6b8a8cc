// Links on disk, cut by target (matrix slicing, thesis 2.3.2).
//
// Slice s holds the links to pages [s * width, (s + 1) * width), by ascending source:
//
//   record = varint(source - source of the record before)   the first one: source
//            varint(links - 1)                               at most 1023
//            varint(first target - s * width), then varint(target - target before - 1) ...
//
// A source with more links has several records.
//
// One sequential read of the file, with `width` sums in memory, is one iteration. Varints
// are LEB128. The file has no name, holds no header and is read by the process that wrote it.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rank/slice_file.h"

namespace opic::rank {

// Appends slices to a file, link by link in their order.
//
// Thread safety: confined to one thread.
class SliceWriter {
 public:
  SliceWriter(SliceFile& file, uint32_t width, size_t buffer_bytes)
      : file_(file), width_(width), buffer_bytes_(buffer_bytes) {}
  struct Slice {
    uint64_t begin = 0, end = 0;  // bytes in the file
    uint64_t links = 0;
  };
  // REQUIRES: links come by slice, then source, then target, each once.
  absl::Status Add(uint32_t from, uint32_t to);
  // Gives slices 0 to the last one with links. REQUIRES: no Add afterwards.
  absl::StatusOr<std::vector<Slice>> Finish();

 private:
  absl::Status EndRecord();
  absl::Status Flush();
  void Put(uint64_t number);

  SliceFile& file_;
  const uint32_t width_;
  const size_t buffer_bytes_;
  std::vector<Slice> slices_;
  uint32_t source_before_ = 0;     // of the record before
  uint32_t source_ = 0;            // of the record that is being filled
  std::vector<uint32_t> targets_;  // of that record, within the slice
  std::vector<char> buffer_;
  uint64_t written_ = 0;
};

// Reads one slice.
//
// Thread safety: confined to one thread.
class SliceReader {
 public:
  SliceReader(const SliceFile& file, const SliceWriter::Slice& slice, uint32_t width,
              size_t buffer_bytes);

  // Goes to the next record. False: the slice is at its end. DataLoss: the file is damaged.
  absl::StatusOr<bool> Next();
  absl::Status Damaged() const;  // says where
  // Never falls.
  uint32_t source() const { return static_cast<uint32_t>(source_); }
  // Calls visit(target - slice begin) for each link of the record. A target is below the width.
  // REQUIRES: Next gave true; to be called once before the next Next.
  template <typename Visit>
  absl::Status ForEachTarget(const Visit& visit);

 private:
  static constexpr size_t kVarintMax = 10;
  // Makes sure that a whole varint is in the buffer, if the slice has one.
  absl::Status Fill();
  uint64_t Varint();

  const SliceFile& file_;
  const uint32_t width_;
  uint64_t next_, end_;  // of the file, not yet in the buffer
  std::vector<char> buffer_;
  size_t at_ = 0, filled_ = 0;
  uint64_t source_ = 0;
  uint64_t links_ = 0;  // of the record
};

// Bytes past the slice's end in the buffer are zero, so that a varint always ends.
inline uint64_t SliceReader::Varint() {
  const auto* bytes = reinterpret_cast<const uint8_t*>(buffer_.data()) + at_;
  uint64_t value = bytes[0] & 127;
  size_t size = 1;
  for (; bytes[size - 1] >= 128 && size < kVarintMax; ++size) {
    value |= uint64_t{bytes[size] & 127u} << (7 * size);
  }
  at_ += size;
  return value;
}

template <typename Visit>
absl::Status SliceReader::ForEachTarget(const Visit& visit) {
  uint64_t target_end = 0;
  for (uint64_t i = 0; i < links_; ++i) {
    if (at_ + kVarintMax > filled_) {
      if (absl::Status status = Fill(); !status.ok()) return status;
    }
    const uint64_t target = target_end + Varint();
    if (target >= width_) return Damaged();
    visit(static_cast<uint32_t>(target));
    target_end = target + 1;
  }
  return absl::OkStatus();
}

}  // namespace opic::rank

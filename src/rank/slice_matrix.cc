#include "rank/slice_matrix.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace opic::rank {
namespace {

constexpr size_t kRecordLinksMax = 1024;

}  // namespace

absl::Status SliceWriter::Add(uint32_t from, uint32_t to) {
  const uint32_t slice = to / width_;
  if (slices_.size() <= slice || from != source_ || targets_.size() == kRecordLinksMax) {
    RETURN_IF_ERROR(EndRecord());
    while (slices_.size() <= slice) {
      const uint64_t here = written_ + buffer_.size();
      if (!slices_.empty()) slices_.back().end = here;
      slices_.push_back({.begin = here});
      source_before_ = 0;
    }
    source_ = from;
  }
  OPIC_CHECK(slice + size_t{1} == slices_.size()) << "links out of order";
  targets_.push_back(to % width_);
  return absl::OkStatus();
}

absl::Status SliceWriter::EndRecord() {
  if (targets_.empty()) return absl::OkStatus();
  OPIC_CHECK(source_ >= source_before_) << "links out of order";
  Put(source_ - source_before_);
  Put(targets_.size() - 1);
  uint64_t target_end = 0;
  for (const uint32_t target : targets_) {
    OPIC_CHECK(target >= target_end) << "links out of order";
    Put(target - target_end);
    target_end = target + uint64_t{1};
  }
  slices_.back().links += targets_.size();
  source_before_ = source_;
  targets_.clear();
  return buffer_.size() < buffer_bytes_ ? absl::OkStatus() : Flush();
}

void SliceWriter::Put(uint64_t number) {
  for (; number >= 128; number >>= 7) buffer_.push_back(static_cast<char>(number | 128));
  buffer_.push_back(static_cast<char>(number));
}

absl::Status SliceWriter::Flush() {
  RETURN_IF_ERROR(file_.Write(written_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SliceWriter::Slice>> SliceWriter::Finish() {
  RETURN_IF_ERROR(EndRecord());
  RETURN_IF_ERROR(Flush());
  if (!slices_.empty()) slices_.back().end = written_;
  return std::move(slices_);
}

SliceReader::SliceReader(const SliceFile& file, const SliceWriter::Slice& slice, uint32_t width,
                         size_t buffer_bytes)
    : file_(file),
      width_(width),
      next_(slice.begin),
      end_(slice.end),
      buffer_(std::max(buffer_bytes, 8 * kVarintMax) + kVarintMax) {}

absl::Status SliceReader::Damaged() const {
  return absl::DataLossError(
      absl::StrCat("the links that were sorted on disk are damaged before byte ", next_,
                   " of their file: check the disk, and run the command again"));
}

absl::Status SliceReader::Fill() {
  if (next_ == end_ && at_ >= filled_) return Damaged();
  if (next_ == end_) return absl::OkStatus();
  if (at_ > filled_) return Damaged();
  const size_t left = filled_ - at_;
  std::memmove(buffer_.data(), buffer_.data() + at_, left);
  const size_t room = buffer_.size() - kVarintMax - left;
  const size_t got = std::min<uint64_t>(room, end_ - next_);
  RETURN_IF_ERROR(file_.Read(next_, absl::MakeSpan(buffer_).subspan(left, got)));
  next_ += got;
  at_ = 0;
  filled_ = left + got;
  std::fill_n(buffer_.begin() + static_cast<ptrdiff_t>(filled_), kVarintMax, '\0');
  return absl::OkStatus();
}

absl::StatusOr<bool> SliceReader::Next() {
  if (at_ >= filled_ && next_ == end_) return false;
  if (at_ + 2 * kVarintMax > filled_) RETURN_IF_ERROR(Fill());
  source_ += Varint();
  links_ = Varint() + 1;
  if (at_ > filled_ || source_ > UINT32_MAX || links_ > kRecordLinksMax) {
    return Damaged();
  }
  return true;
}

}  // namespace opic::rank

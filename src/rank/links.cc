#include "rank/links.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace opic::rank {
namespace {

constexpr size_t kFirstLinks = 1 << 20;

// For how many links there is room next, of `room` at most: a short list is not to ask the system
// for all the memory that a long one may take. Those that are moved are at most a quarter of it.
size_t RoomAfter(size_t links, size_t room) {
  if (links == 0) return std::clamp<size_t>(room / 4, 1, kFirstLinks);
  return links > room / 8 ? room : 2 * links;
}

}  // namespace

absl::StatusOr<RankLinks> RankLinks::Begin(const SlicePlan& plan, TileShape shape,
                                           LinkReading reading) {
  if (plan.workers == 0 || plan.resources.memory_bytes / plan.workers < kRankMemoryMin) {
    return absl::InvalidArgumentError(
        absl::StrCat("memory: at least ", kRankMemoryMin, " bytes a worker"));
  }
  return RankLinks(plan, shape, reading);
}

absl::Status RankLinks::Add(uint64_t from, uint64_t to) {
  if (from > kPageNumberMax || to > kPageNumberMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("page number ", std::max(from, to), " is above ", kPageNumberMax));
  }
  named_ = std::max({named_, from + 1, to + 1});
  if (++added_; from == to) return absl::OkStatus();
  const auto source = static_cast<uint32_t>(from), target = static_cast<uint32_t>(to);
  if (reading_ != LinkReading::kBackward) RETURN_IF_ERROR(Push(source, target));
  if (reading_ != LinkReading::kForward) RETURN_IF_ERROR(Push(target, source));
  return absl::OkStatus();
}

absl::Status RankLinks::Push(uint32_t from, uint32_t to) {
  const size_t room = plan_.run_links();
  if (buffer_.size() == room) RETURN_IF_ERROR(Spill());
  if (buffer_.size() == buffer_.capacity()) buffer_.reserve(RoomAfter(buffer_.size(), room));
  buffer_.push_back(PackLink(from, to));
  return absl::OkStatus();
}

absl::Status RankLinks::Spill() {
  if (!runs_) {
    traffic_ = std::make_unique<SliceTraffic>();
    ASSIGN_OR_RETURN(SliceFile file, SliceFile::Create(plan_.resources.folder, *traffic_));
    runs_.emplace(std::move(file));
  }
  const uint32_t width = plan_.width();
  for (LinkWord& link : buffer_) {
    link = SliceKey(static_cast<uint32_t>(link >> 32), static_cast<uint32_t>(link), width);
  }
  RETURN_IF_ERROR(runs_->AddRun(absl::MakeSpan(buffer_)));
  buffer_.clear();
  return absl::OkStatus();
}

bool RankLinks::FitsInMemory() const {
  if (runs_ || plan_.resources.always_on_disk) return false;
  const uint64_t links = buffer_.size();
  const uint64_t tiles = TileMatrix::BytesFor(pages_, links, shape_);
  const uint64_t vectors = TileStore::BytesToRank(pages_, plan_.workers, plan_.rankings,
                                                  plan_.resources.single_precision);
  return tiles + std::max(sizeof(LinkWord) * links, vectors) <= plan_.resources.memory_bytes;
}

absl::StatusOr<std::unique_ptr<LinkStore>> RankLinks::Finish() && {
  constexpr uint64_t kSparseMax = 100, kAlwaysAllowed = 1'000'000;
  if (named_ > pages_ && named_ > kAlwaysAllowed + kSparseMax * added_) {
    return absl::InvalidArgumentError(absl::StrCat("page number ", named_ - 1, " in a list of ",
                                                   added_, " links: number pages from 0 on"));
  }
  pages_ = std::max(pages_, static_cast<uint32_t>(named_));
  if (FitsInMemory()) {
    return std::make_unique<TileStore>(
        TileMatrix::Of(pages_, std::move(buffer_), plan_.workers, shape_),
        plan_.resources.single_precision);
  }
  RETURN_IF_ERROR(Spill());
  std::vector<LinkWord>().swap(buffer_);
  return SliceStore::Of(plan_, pages_, *runs_, std::move(traffic_));
}

}  // namespace opic::rank

#include "node/disk_watch.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>

#include "base/disk_failure.h"

namespace opic::node {
namespace {

constexpr uint64_t kFreeMinMost = uint64_t{2} << 30;
constexpr uint64_t kWholeInFreeMin = 20;  // 5 %
// By how much more than the mark there must be to go on, so that it does not stop and go.
constexpr uint64_t kMinInMargin = 4;

}  // namespace

absl::StatusOr<DiskRoom> DiskRoomAt(const std::string& path) {
  struct statvfs found = {};
  if (statvfs(path.c_str(), &found) != 0) return base::DiskFailure(errno, "statvfs " + path);
  return DiskRoom{.free = uint64_t{found.f_bavail} * found.f_frsize,
                  .whole = uint64_t{found.f_blocks} * found.f_frsize};
}

uint64_t DefaultFreeMin(const DiskRoom& room) {
  return std::min(kFreeMinMost, room.whole / kWholeInFreeMin);
}

bool DiskWatch::Look(absl::Time now) {
  if (now < look_at_ || options_.free_min == 0 || !options_.read) return false;
  look_at_ = now + options_.look_every;
  const absl::StatusOr<DiskRoom> room = options_.read();
  if (!room.ok()) return false;
  const bool was_low = state_.low;
  state_.free_bytes = room->free;
  state_.free_min = options_.free_min.value_or(DefaultFreeMin(*room));
  state_.free_enough = state_.free_min + state_.free_min / kMinInMargin;
  state_.low = room->free < (was_low ? state_.free_enough : state_.free_min);
  return state_.low != was_low;
}

}  // namespace opic::node

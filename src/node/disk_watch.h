// Whether the disk of the data folder has room for more. Below a mark nothing new is fetched, so
// that what goes on (settling, questions, what peers send) finds room for long; above the mark by a
// margin fetching goes on by itself. A disk that is full nevertheless ends the process
// (desk/store_failure.h), and nothing is lost by that either.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace opic::node {

// Of a file system, in bytes; `free`: for users other than root.
struct DiskRoom {
  uint64_t free = 0, whole = 0;
};
using ReadDiskRoom = std::function<absl::StatusOr<DiskRoom>()>;

// Of the file system that `path` is on.
absl::StatusOr<DiskRoom> DiskRoomAt(const std::string& path);

struct DiskOptions {
  std::optional<uint64_t> free_min;  // bytes; 0: any will do; nothing: DefaultFreeMin
  ReadDiskRoom read = nullptr;       // null: Node::Open takes DiskRoomAt the data folder
  absl::Duration look_every = absl::Seconds(1);
};

// 2 GiB or 5 % of the disk, whichever is less.
uint64_t DefaultFreeMin(const DiskRoom& room);

// As it was when it was last looked at.
struct DiskState {
  bool low = false;  // nothing new is fetched
  uint64_t free_bytes = 0;
  uint64_t free_min = 0;     // it became low below this; 0: nobody looks
  uint64_t free_enough = 0;  // and is not low any more from this on
  friend bool operator==(const DiskState&, const DiskState&) = default;
};

class DiskWatch {
 public:
  explicit DiskWatch(DiskOptions options) : options_(std::move(options)) {}

  // Looks if that is due at `now`, a steady time. True: it has become low, or is not any more. A
  // disk that cannot be asked stays as it was.
  bool Look(absl::Time now);
  const DiskState& state() const { return state_; }

 private:
  const DiskOptions options_;
  absl::Time look_at_ = absl::InfinitePast();
  DiskState state_;
};

}  // namespace opic::node

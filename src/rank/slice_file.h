// A nameless file of values, whose traffic is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/nameless_file.h"

namespace opic::rank {

// Bytes moved by the files of one ranking.
//
// Thread safety: synchronised inside.
struct SliceTraffic {
  std::atomic<uint64_t> read = 0, written = 0;
};

// Thread safety: reads and writes of different places may happen at the same time. Where they
// overlap a reader sees whole values as long as each call moves whole values: calls that write
// wait for others.
class SliceFile {
 public:
  // In `folder`, which must exist. `traffic` must outlive the file. NotFound, PermissionDenied...
  // tell what is wrong with the folder.
  static absl::StatusOr<SliceFile> Create(const std::string& folder, SliceTraffic& traffic);

  // All of `bytes`, or an error: DataLoss when the file ends before; ResourceExhausted: disk full.
  absl::Status Read(uint64_t at, absl::Span<char> bytes) const;
  absl::Status Write(uint64_t at, absl::Span<const char> bytes);

  template <typename T>
  absl::Status ReadValues(uint64_t index, absl::Span<T> values) const {
    return Read(index * sizeof(T),
                absl::MakeSpan(reinterpret_cast<char*>(values.data()), values.size() * sizeof(T)));
  }
  template <typename T>
  absl::Status WriteValues(uint64_t index, absl::Span<const T> values) {
    return Write(index * sizeof(T),
                 absl::MakeConstSpan(reinterpret_cast<const char*>(values.data()),
                                     values.size() * sizeof(T)));
  }

 private:
  SliceFile(base::NamelessFile file, SliceTraffic& traffic)
      : file_(std::move(file)), traffic_(&traffic) {}

  base::NamelessFile file_;
  SliceTraffic* traffic_;
  std::unique_ptr<absl::Mutex> mu_ = std::make_unique<absl::Mutex>();
};

}  // namespace opic::rank

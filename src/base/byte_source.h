// Bytes that are read once, from the front, some at a time: of a file too large to hold, or of
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace opic::base {

// Thread safety: confined to the owner thread.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // How many bytes are to come.
  virtual uint64_t left() const = 0;
  // The next `size`, valid until the next call. After an error it is not to be called again.
  // REQUIRES: size <= left().
  virtual absl::StatusOr<std::string_view> Take(size_t size) = 0;
};

class StringSource final : public ByteSource {
 public:
  // `bytes` must outlive it.
  explicit StringSource(std::string_view bytes) : rest_(bytes) {}

  uint64_t left() const override { return rest_.size(); }
  absl::StatusOr<std::string_view> Take(size_t size) override;

 private:
  std::string_view rest_;
};

// The file as long as it was when it was opened, from `begin` on and at most `bytes_max` of it,
// through a buffer of 256 KiB, or of what is taken at once if that is more. NotFound when absent.
// Take: DataLoss if the file has become shorter.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path, uint64_t begin = 0,
                                                     uint64_t bytes_max = UINT64_MAX);

}  // namespace opic::base

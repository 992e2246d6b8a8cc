// Files that may be compressed with gzip, read from beginning to end in constant memory.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace opic::archive {

// Thread safety: confined to one thread.
class GzipReader {
 public:
  // `path` is taken for gzip when it begins as a gzip member does, else for plain bytes. "-" is
  // standard input. NotFound, PermissionDenied...: it cannot be opened.
  static absl::StatusOr<GzipReader> Open(const std::string& path);

  // Fills `out` from its beginning and tells how much; 0: the end. DataLoss: damaged or truncated.
  absl::StatusOr<size_t> Read(absl::Span<char> out);

 private:
  struct Closer {
    void operator()(void* file) const;
  };
  GzipReader(void* file, std::string path) : file_(file), path_(std::move(path)) {}
  std::unique_ptr<void, Closer> file_;  // zlib's gzFile
  std::string path_;
};

}  // namespace opic::archive

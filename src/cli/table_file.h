// A table that a command writes: rows to a file or to standard output.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace opic::cli {

// Thread safety: confined to one thread.
class TableFile {
 public:
  // Empty `path`: standard output. An existing file is replaced.
  static absl::StatusOr<TableFile> Create(const std::string& path);
  std::FILE* stream() { return file_.get(); }
  // ResourceExhausted and others: not everything could be written.
  absl::Status Close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  explicit TableFile(std::FILE* file) : file_(file) {}
  std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace opic::cli

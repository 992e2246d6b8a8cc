#include "archive/gzip_reader.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace opic::archive {
namespace {

gzFile FileOf(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void GzipReader::Closer::operator()(void* file) const { gzclose(FileOf(file)); }

absl::StatusOr<GzipReader> GzipReader::Open(const std::string& path) {
  const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  gzFile file = gzdopen(fd, "rb");
  if (file == nullptr) {
    close(fd);
    return absl::ResourceExhaustedError("no memory to read gzip");
  }
  gzbuffer(file, 128 << 10);
  return GzipReader(file, path);
}

absl::StatusOr<size_t> GzipReader::Read(absl::Span<char> out) {
  const auto most = static_cast<unsigned>(std::min<size_t>(out.size(), 1 << 30));
  const int got = gzread(FileOf(file_.get()), out.data(), most);
  if (got > 0) return static_cast<size_t>(got);
  int code = Z_OK;
  const char* why = gzerror(FileOf(file_.get()), &code);
  if (code == Z_ERRNO) return absl::ErrnoToStatus(errno, absl::StrCat("reading ", path_));
  if (got < 0 || code != Z_OK) return absl::DataLossError(absl::StrCat("gzip is damaged: ", why));
  return size_t{0};
}

}  // namespace opic::archive

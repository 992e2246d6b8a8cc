#include "archive/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/cleanup/cleanup.h"

namespace opic::archive {
namespace {

constexpr int kGzipOnly = 15 + 16;  // inflateInit2: largest window, gzip header and trailer
constexpr size_t kChunkBytes = 16 * 1024;

// Inflates one member after the other from `in_` to `out_`.
class Inflater {
 public:
  Inflater(std::string_view in, size_t out_bytes_max) : in_(in), out_bytes_max_(out_bytes_max) {}

  absl::Status Run() {
    if (!IsGzip(in_)) return absl::InvalidArgumentError("not gzip");
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) {
      return absl::ResourceExhaustedError("no memory to inflate gzip");
    }
    const auto end = absl::MakeCleanup([this] { inflateEnd(&stream_); });
    while (IsGzip(in_)) {
      if (absl::Status member = Member(); !member.ok()) return member;
      inflateReset(&stream_);
    }
    return absl::OkStatus();
  }

  std::string& out() { return out_; }

 private:
  absl::Status Member() {
    for (;;) {
      const int code = Step();
      if (out_.size() > out_bytes_max_) {
        out_.resize(out_bytes_max_);
        return absl::ResourceExhaustedError("gzip holds more bytes than allowed");
      }
      if (code == Z_STREAM_END) return absl::OkStatus();
      if (code != Z_OK) {
        return absl::DataLossError(code == Z_BUF_ERROR ? "gzip is truncated" : "gzip is damaged");
      }
    }
  }

  // One call of inflate(): moves at most a chunk to `out_`, and never more than one byte over the
  // limit.
  int Step() {
    char chunk[kChunkBytes];
    const size_t room = std::min(kChunkBytes - 1, out_bytes_max_ - out_.size()) + 1;
    const size_t offered = std::min<size_t>(in_.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in_.data()));
    stream_.avail_in = static_cast<uInt>(offered);
    stream_.next_out = reinterpret_cast<Bytef*>(chunk);
    stream_.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    in_.remove_prefix(offered - stream_.avail_in);
    out_.append(chunk, room - stream_.avail_out);
    return code;
  }

  z_stream stream_ = {};
  std::string_view in_;
  const size_t out_bytes_max_;
  std::string out_;
};

}  // namespace

bool IsGzip(std::string_view bytes) { return bytes.substr(0, 3) == "\x1f\x8b\x08"; }

absl::StatusOr<std::string> Gunzip(std::string_view bytes, size_t out_bytes_max,
                                   std::string* partial) {
  if (partial) partial->clear();
  Inflater inflater(bytes, out_bytes_max);
  const absl::Status status = inflater.Run();
  if (status.ok()) return std::move(inflater.out());
  if (partial) *partial = std::move(inflater.out());
  return status;
}

}  // namespace opic::archive

#include "fetch/gzip_decoder.h"

#include "base/check.h"

namespace opic::fetch {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window; gzip's header and trailer
constexpr size_t kOutBytes = 16 << 10;

}  // namespace

GzipDecoder::GzipDecoder() {
  OPIC_CHECK(inflateInit2(&stream_, kGzipWindow) == Z_OK) << "out of memory";
}

GzipDecoder::~GzipDecoder() { inflateEnd(&stream_); }

bool GzipDecoder::Write(std::string_view bytes, absl::FunctionRef<bool(std::string_view)> take) {
  begun_ |= !bytes.empty();
  // zlib does not write there; its type is older than const.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  bool more = !bytes.empty();
  while (more && !trailing_) {
    char out[kOutBytes];
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = kOutBytes;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    const size_t size = kOutBytes - stream_.avail_out;
    if (size > 0 && !take({out, size})) return false;
    if (code == Z_STREAM_END) {
      ++members_;
      inflateReset(&stream_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      if (members_ == 0 || stream_.total_out > 0) return false;
      trailing_ = true;
    }
    more = stream_.avail_in > 0 || stream_.avail_out == 0;
  }
  return true;
}

}  // namespace opic::fetch

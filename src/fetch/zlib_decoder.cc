#include "fetch/zlib_decoder.h"

#include <algorithm>

#include "base/check.h"

namespace opic::fetch {
namespace {

constexpr int kLargestWindow = 15;
constexpr int kGzip = kLargestWindow + 16;  // gzip's header and trailer

void Give(std::string_view bytes, z_stream& stream) {
  // zlib does not write there; its type is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

// One step of inflate. False: `take` said no.
bool Step(z_stream& stream, BodyDecoder::Take take, int& code) {
  char out[BodyDecoder::kOutBytes];
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = BodyDecoder::kOutBytes;
  code = inflate(&stream, Z_NO_FLUSH);
  const size_t size = BodyDecoder::kOutBytes - stream.avail_out;
  return size == 0 || take({out, size});
}

bool HasMore(const z_stream& stream) { return stream.avail_in > 0 || stream.avail_out == 0; }

// RFC 1950 section 2.2: the method, and a check.
bool BeginsZlib(std::string_view head) {
  const auto first = static_cast<uint8_t>(head[0]), second = static_cast<uint8_t>(head[1]);
  return (first & 15) == Z_DEFLATED && (first * 256 + second) % 31 == 0;
}

}  // namespace

GzipDecoder::GzipDecoder() { OPIC_CHECK(inflateInit2(&stream_, kGzip) == Z_OK) << "out of memory"; }

GzipDecoder::~GzipDecoder() { inflateEnd(&stream_); }

bool GzipDecoder::Write(std::string_view bytes, Take take) {
  begun_ |= !bytes.empty();
  Give(bytes, stream_);
  bool more = !bytes.empty();
  while (more && !trailing_) {
    int code = Z_OK;
    if (!Step(stream_, take, code)) return false;
    if (code == Z_STREAM_END) {
      ++members_;
      inflateReset(&stream_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      if (members_ == 0 || stream_.total_out > 0) return false;
      trailing_ = true;
    }
    more = HasMore(stream_);
  }
  return true;
}

DeflateDecoder::~DeflateDecoder() {
  if (made_) inflateEnd(&stream_);
}

bool DeflateDecoder::Write(std::string_view bytes, Take take) {
  if (made_) return Inflate(bytes, take);
  const size_t missing = std::min(2 - head_.size(), bytes.size());
  head_.append(bytes.substr(0, missing));
  if (head_.size() < 2) return true;
  const int window = BeginsZlib(head_) ? kLargestWindow : -kLargestWindow;
  OPIC_CHECK(inflateInit2(&stream_, window) == Z_OK) << "out of memory";
  made_ = true;
  return Inflate(head_, take) && Inflate(bytes.substr(missing), take);
}

bool DeflateDecoder::Inflate(std::string_view bytes, Take take) {
  Give(bytes, stream_);
  bool more = !bytes.empty();
  while (more && !ended_) {
    int code = Z_OK;
    if (!Step(stream_, take, code)) return false;
    if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END) return false;
    ended_ = code == Z_STREAM_END;
    more = HasMore(stream_);
  }
  return true;
}

}  // namespace opic::fetch

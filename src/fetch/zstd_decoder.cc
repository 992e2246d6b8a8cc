#include "fetch/zstd_decoder.h"

#include <zstd_errors.h>

#include "base/check.h"

namespace opic::fetch {

ZstdDecoder::ZstdDecoder() : stream_(ZSTD_createDStream()) {
  OPIC_CHECK(stream_ != nullptr) << "out of memory";
  const size_t code = ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kWindowBits);
  OPIC_CHECK(ZSTD_isError(code) == 0) << ZSTD_getErrorName(code);
}

bool ZstdDecoder::Write(std::string_view bytes, Take take) {
  begun_ |= !bytes.empty();
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  bool more = !bytes.empty();
  while (more && !trailing_) {
    char room[kOutBytes];
    ZSTD_outBuffer out = {room, kOutBytes, 0};
    const size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (out.pos > 0 && !take({room, out.pos})) return false;
    frame_out_ += out.pos;
    const bool ended = code == 0;
    if (ended) {
      ++frames_;
      frame_out_ = 0;
    } else if (ZSTD_isError(code) != 0) {
      if (frames_ == 0 || ZSTD_getErrorCode(code) != ZSTD_error_prefix_unknown) return false;
      trailing_ = true;
    }
    more = in.pos < in.size || (out.pos == kOutBytes && !ended);
  }
  return true;
}

}  // namespace opic::fetch

// zstd (RFC 8878): all its frames, whatever follows the last one ignored. Windows of more than 8
// MiB are refused, as HTTP has it (RFC 9659).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>

#include "fetch/body_decoder.h"

namespace opic::fetch {

class ZstdDecoder final : public BodyDecoder {
 public:
  ZstdDecoder();

  bool Write(std::string_view bytes, Take take) override;
  bool may_end() const override { return frames_ > 0 ? trailing_ || frame_out_ == 0 : !begun_; }
  size_t window_bytes_max() const override { return size_t{1} << kWindowBits; }

 private:
  static constexpr int kWindowBits = 23;

  struct Destroy {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  const std::unique_ptr<ZSTD_DStream, Destroy> stream_;
  int frames_ = 0;          // read whole
  uint64_t frame_out_ = 0;  // bytes that came out of the present one
  bool begun_ = false;      // a byte has come
  bool trailing_ = false;   // what comes is no frame any more
};

}  // namespace opic::fetch

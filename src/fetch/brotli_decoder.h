// Brotli (RFC 7932). What follows the end is ignored.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <brotli/decode.h>

#include <memory>

#include "fetch/body_decoder.h"

namespace opic::fetch {

class BrotliDecoder final : public BodyDecoder {
 public:
  BrotliDecoder();

  bool Write(std::string_view bytes, Take take) override;
  bool may_end() const override { return ended_ || !begun_; }
  size_t window_bytes_max() const override { return 16 << 20; }  // the format's own limit

 private:
  struct Destroy {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };

  const std::unique_ptr<BrotliDecoderState, Destroy> state_;
  bool begun_ = false, ended_ = false;
};

}  // namespace opic::fetch

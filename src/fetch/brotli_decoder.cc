#include "fetch/brotli_decoder.h"

#include "base/check.h"

namespace opic::fetch {

BrotliDecoder::BrotliDecoder() : state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
  OPIC_CHECK(state_ != nullptr) << "out of memory";
}

bool BrotliDecoder::Write(std::string_view bytes, Take take) {
  begun_ |= !bytes.empty();
  const auto* next_in = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t in = bytes.size();
  while (!ended_) {
    char out[kOutBytes];
    auto* next_out = reinterpret_cast<uint8_t*>(out);
    size_t room = kOutBytes;
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state_.get(), &in, &next_in, &room, &next_out, nullptr);
    if (room < kOutBytes && !take({out, kOutBytes - room})) return false;
    if (result == BROTLI_DECODER_RESULT_ERROR) return false;
    if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) return true;
    ended_ = result == BROTLI_DECODER_RESULT_SUCCESS;
  }
  return true;
}

}  // namespace opic::fetch

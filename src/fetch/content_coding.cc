#include "fetch/content_coding.h"

#include "fetch/brotli_decoder.h"
#include "fetch/zlib_decoder.h"
#include "fetch/zstd_decoder.h"

namespace opic::fetch {

std::unique_ptr<BodyDecoder> MakeBodyDecoder(std::string_view coding) {
  if (coding == "gzip" || coding == "x-gzip") return std::make_unique<GzipDecoder>();
  if (coding == "deflate") return std::make_unique<DeflateDecoder>();
  if (coding == "br") return std::make_unique<BrotliDecoder>();
  if (coding == "zstd") return std::make_unique<ZstdDecoder>();
  return nullptr;
}

}  // namespace opic::fetch

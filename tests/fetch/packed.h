// Compressed bytes of each coding for the servers of tests.
#pragma once

#include <brotli/encode.h>
#include <zstd.h>

#include <string>

#include "tests/fetch/gzip.h"

namespace opic::fetch {

inline std::string Zlib(const std::string& plain) { return Deflated(plain, 15); }
inline std::string RawDeflate(const std::string& plain) { return Deflated(plain, -15); }

inline std::string Brotli(const std::string& plain) {
  size_t size = BrotliEncoderMaxCompressedSize(plain.size()) + 64;
  std::string packed(size, '\0');
  BrotliEncoderCompress(5, 24, BROTLI_MODE_GENERIC, plain.size(),
                        reinterpret_cast<const uint8_t*>(plain.data()), &size,
                        reinterpret_cast<uint8_t*>(packed.data()));
  packed.resize(size);
  return packed;
}

inline std::string Zstd(const std::string& plain) {
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

// A coding as its header names it, and what makes it.
struct Coding {
  const char* test;
  const char* name;
  std::string (*pack)(const std::string& plain);
};
inline constexpr Coding kCodings[] = {{"Gzip", "gzip", Gzip},    {"XGzip", "X-GZip", Gzip},
                                      {"Zlib", "deflate", Zlib}, {"Raw", "deflate", RawDeflate},
                                      {"Brotli", "br", Brotli},  {"Zstd", "zstd", Zstd}};

}  // namespace opic::fetch

// Compressed bytes for the servers of tests.
#pragma once

#include <zlib.h>

#include <string>

namespace opic::fetch {

// By zlib, with the window and wrapping that `window_bits` says.
inline std::string Deflated(const std::string& plain, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string Gzip(const std::string& plain) { return Deflated(plain, 15 + 16); }

}  // namespace opic::fetch

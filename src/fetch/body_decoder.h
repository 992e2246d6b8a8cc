// A body that is packed for the way, as it arrives: gzip, deflate (RFC 1950 to 1952), Brotli (RFC
// 7932) and zstd (RFC 8878), as browsers read them. libcurl could unpack, too, but a transfer that
// waits would go on in its memory, and it refuses several members and what follows the last one.
//
// Total over any bytes, linear in those that come and those that go.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/functional/function_ref.h"

namespace opic::fetch {

class BodyDecoder {
 public:
  using Take = absl::FunctionRef<bool(std::string_view)>;
  static constexpr size_t kOutBytes = 16 << 10;

  BodyDecoder() = default;
  virtual ~BodyDecoder() = default;
  BodyDecoder(const BodyDecoder&) = delete;
  BodyDecoder& operator=(const BodyDecoder&) = delete;

  // Calls `take` with what the bytes decode to, at most kOutBytes at a time. False: they are
  // damaged, or `take` said no; it is of no use any more.
  virtual bool Write(std::string_view bytes, Take take) = 0;
  // The body may end here: it is whole, or nothing has come.
  virtual bool may_end() const = 0;
  // What was decoded last is kept, so much of it at most, beside some 100 KiB.
  virtual size_t window_bytes_max() const = 0;
};

}  // namespace opic::fetch

// A gzip body as it arrives: all its members (RFC 1952 section 2.2), whatever follows the last one
// ignored, as browsers read it. libcurl refuses both.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <zlib.h>

#include <string_view>

#include "absl/functional/function_ref.h"

namespace opic::fetch {

class GzipDecoder {
 public:
  GzipDecoder();
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  // Calls `take` with what the bytes decode to, at most 16 KiB at a time. False: they are damaged,
  // or `take` said no.
  bool Write(std::string_view bytes, absl::FunctionRef<bool(std::string_view)> take);
  // The body may end here: after a member, or before its first byte.
  bool may_end() const { return members_ > 0 ? trailing_ || stream_.total_out == 0 : !begun_; }

 private:
  z_stream stream_ = {};
  int members_ = 0;        // read whole
  bool begun_ = false;     // a byte has come
  bool trailing_ = false;  // what comes is no member any more
};

}  // namespace opic::fetch

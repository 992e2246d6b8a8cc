// gzip and deflate, by zlib. Of gzip all members are read (RFC 1952 section 2.2). "deflate" means a
// zlib stream (RFC 1950), but some servers send what is in one (RFC 1951), as was usual once. What
// follows the end is ignored.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <zlib.h>

#include <string>

#include "fetch/body_decoder.h"

namespace opic::fetch {

class GzipDecoder final : public BodyDecoder {
 public:
  GzipDecoder();
  ~GzipDecoder() override;

  bool Write(std::string_view bytes, Take take) override;
  bool may_end() const override {
    return members_ > 0 ? trailing_ || stream_.total_out == 0 : !begun_;
  }
  size_t window_bytes_max() const override { return 32 << 10; }

 private:
  z_stream stream_ = {};
  int members_ = 0;        // read whole
  bool begun_ = false;     // a byte has come
  bool trailing_ = false;  // what comes is no member any more
};

class DeflateDecoder final : public BodyDecoder {
 public:
  DeflateDecoder() = default;
  ~DeflateDecoder() override;

  bool Write(std::string_view bytes, Take take) override;
  bool may_end() const override { return ended_ || head_.empty(); }
  size_t window_bytes_max() const override { return 32 << 10; }

 private:
  bool Inflate(std::string_view bytes, Take take);

  z_stream stream_ = {};
  std::string head_;  // the first two bytes tell what it is
  bool made_ = false, ended_ = false;
};

}  // namespace opic::fetch

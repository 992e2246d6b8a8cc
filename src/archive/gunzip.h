// Whole gzip files in memory: sitemaps that are stored compressed ("sitemap.xml.gz").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace opic::archive {

// True if `bytes` begin as a gzip member does (RFC 1952 section 2.3.1: ID1, ID2 and deflate).
bool IsGzip(std::string_view bytes);

// Decompresses all members of `bytes` (RFC 1952 section 2.2) into one string.
// What follows the last member and does not begin another one is ignored, as gzip(1) does.
//
// Errors: kInvalidArgument: not gzip at its beginning; kDataLoss: truncated or damaged;
// kResourceExhausted: more than `out_bytes_max` would come out. `partial`, when not null, is then
// set to what could be read before the error, at most `out_bytes_max` bytes; else it is left empty.
// Time is linear in `bytes` and `out_bytes_max`; memory is twice `out_bytes_max` and 64 KiB at
// most, however much the bytes promise.
//
// Thread safety: pure.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, size_t out_bytes_max,
                                   std::string* partial = nullptr);

}  // namespace opic::archive

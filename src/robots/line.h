// The lines of a robots.txt: "key: value # comment" (RFC 9309 section 2.2), read as tolerantly as
// the large search engines do.
#pragma once

#include <cstdint>
#include <string_view>

namespace opic::robots {

enum class Key : uint8_t { kUserAgent, kAllow, kDisallow, kCrawlDelay, kSitemap, kUnknown };

struct Line {
  Key key = Key::kUnknown;
  std::string_view value;  // trimmed, without comment
};

// Splits at CR, LF or CRLF; a byte order mark is skipped.
//
// Thread safety: confined to the owner thread.
class LineReader {
 public:
  // `body` must outlive the reader and the lines it returns.
  explicit LineReader(std::string_view body);
  // False at the end. Empty and malformed lines come as kUnknown.
  bool Next(Line& line);
  // The body is longer than kRobotsBytesMax; lines behind that, and the one across it, are not
  // read.
  bool cut() const { return cut_; }

 private:
  const bool cut_;
  std::string_view rest_;
};

}  // namespace opic::robots

// Drops the lines of an HTTP/1 head that are no field: those without a colon, and what continues
// them (RFC 9112 section 5.2). Browsers skip them; libcurl refuses an answer for one.
//
// Total over any bytes, and the same for any split of them. Interim answers (1xx) have heads of
// their own. What is behind the last head passes untouched, and so does all of what does not begin
// with "HTTP/". Where a head ends is judged as libcurl does: a line that begins with CR or LF.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opic::fetch {

class HeadFilter {
 public:
  // All heads together have at most `bytes_max`, with what is dropped of them; so much may be kept.
  explicit HeadFilter(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Appends to `passed` what passes. False: above the limit; then nothing more is to be given.
  bool Pass(std::string_view bytes, std::string& passed);
  // The answer has ended: appends what was kept of a line without an end.
  void End(std::string& passed);

  bool in_head() const { return at_ != At::kBody; }

 private:
  enum class At { kStatusLine, kFields, kBody };
  bool Passes(std::string_view line);

  const size_t bytes_max_;
  size_t bytes_ = 0;  // of heads, so far
  At at_ = At::kStatusLine;
  bool interim_ = false;      // another head follows
  bool after_field_ = false;  // a line may continue the one before
  bool field_passes_ = false;
  std::string line_;  // its beginning
};

}  // namespace opic::fetch

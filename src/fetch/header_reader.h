// Picks the header values a crawler needs out of the lines of a response, as they arrive.
//
// Total over any bytes. Lines of interim (1xx) responses and trailers count but give no values: a
// status line starts afresh, and what follows the blank line of the last head is trailers
// (RFC 9110 section 6.5). A line that begins with a space or a tab goes on with the value of the
// one before, behind one space (RFC 9112 section 5.2).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <string>
#include <string_view>

#include "fetch/response.h"

namespace opic::fetch {

class HeaderReader {
 public:
  // Values go to `response`, which must outlive the use; all lines together have at most
  // `bytes_max`.
  HeaderReader(Response& response, size_t bytes_max) : response_(response), bytes_max_(bytes_max) {}
  HeaderReader(const HeaderReader&) = delete;
  HeaderReader& operator=(const HeaderReader&) = delete;

  // As the last head has it; several lines joined by ", ".
  const std::string& content_encoding() const { return content_encoding_; }
  // Likewise.
  const std::string& transfer_encoding() const { return transfer_encoding_; }
  // The last line was the blank one that ends a head.
  bool at_end_of_head() const { return at_end_of_head_; }

  // One line with its line end. False: above the limit, the line was not looked at.
  bool Line(std::string_view line);

 private:
  void StartHead();
  void Keep(std::string_view name, std::string_view value);
  void GoOn(std::string_view text);
  void ReadLength();

  Response& response_;
  const size_t bytes_max_;
  size_t bytes_ = 0;
  std::string content_encoding_, transfer_encoding_, content_length_;
  // Where the value of the last line went, for a line that goes on with it; null: it was not kept.
  std::string* last_value_ = nullptr;
  bool in_head_ = false;  // between a status line and its blank line
  bool at_end_of_head_ = false;
};

}  // namespace opic::fetch

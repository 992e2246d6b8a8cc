// Links as text: a line "from to" each, page numbers apart by spaces or tabs, as most published
// graphs have it. Empty lines and lines that begin with '#' or '%' are comments.
//
// Total: any bytes give links or an error that names the line, in linear time and constant memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace opic::graph {

// Bytes arrive in pieces of any size.
//
// Thread safety: confined to one thread.
class EdgeListParser {
 public:
  // Takes one link. Its error ends the parsing and comes back with the line in front.
  using Take = absl::FunctionRef<absl::Status(uint64_t from, uint64_t to)>;

  // InvalidArgument: a line that is no link, or a number of more than 19 digits. To be called no
  // more after an error.
  absl::Status Feed(std::string_view piece, Take take);
  // The last line may lack its line feed.
  absl::Status End(Take take);
  uint64_t lines() const { return lines_; }

 private:
  enum class At : uint8_t { kBegin, kFrom, kGap, kTo, kTail, kComment };
  absl::Status EndLine(Take take);
  bool Digit(uint64_t& number, char c);
  bool Step(char c);
  absl::Status Broken(std::string_view why) const;

  At at_ = At::kBegin;
  int digits_ = 0;
  uint64_t from_ = 0, to_ = 0;
  uint64_t lines_ = 0;  // that ended
};

// Fills the span from its beginning and tells how much; 0: the end.
using ReadBytes = absl::FunctionRef<absl::StatusOr<size_t>(absl::Span<char> out)>;

// A whole list.
absl::Status ParseEdgeList(ReadBytes read, EdgeListParser::Take take);

}  // namespace opic::graph

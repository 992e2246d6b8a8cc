#include "graph/edge_list.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace opic::graph {
namespace {

constexpr int kDigitsMax = 19;  // always below 2^64

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool EdgeListParser::Digit(uint64_t& number, char c) {
  number = number * 10 + static_cast<uint64_t>(c - '0');
  return ++digits_ <= kDigitsMax;
}

// False: `c` cannot stand here.
bool EdgeListParser::Step(char c) {
  switch (at_) {
    case At::kBegin:
      if (IsSpace(c)) return true;
      if (c == '#' || c == '%') {
        at_ = At::kComment;
        return true;
      }
      at_ = At::kFrom, from_ = 0, digits_ = 0;
      return IsDigit(c) && Digit(from_, c);
    case At::kFrom:
      if (IsDigit(c)) return Digit(from_, c);
      at_ = At::kGap;
      return IsSpace(c);
    case At::kGap:
      if (IsSpace(c)) return true;
      at_ = At::kTo, to_ = 0, digits_ = 0;
      return IsDigit(c) && Digit(to_, c);
    case At::kTo:
      if (IsDigit(c)) return Digit(to_, c);
      at_ = At::kTail;
      return IsSpace(c);
    case At::kTail:
      return IsSpace(c);
    case At::kComment:
      return true;
  }
  return false;
}

absl::Status EdgeListParser::Broken(std::string_view why) const {
  return absl::InvalidArgumentError(absl::StrCat("line ", lines_ + 1, ": ", std::string(why)));
}

absl::Status EdgeListParser::EndLine(Take take) {
  if (at_ == At::kFrom || at_ == At::kGap) return Broken("only one page number");
  if (at_ == At::kTo || at_ == At::kTail) {
    if (absl::Status status = take(from_, to_); !status.ok()) {
      return base::WithContext(status, absl::StrCat("line ", lines_ + 1));
    }
  }
  at_ = At::kBegin;
  ++lines_;
  return absl::OkStatus();
}

absl::Status EdgeListParser::Feed(std::string_view piece, Take take) {
  for (const char c : piece) {
    if (c == '\n') {
      RETURN_IF_ERROR(EndLine(take));
    } else if (!Step(c)) {
      if (digits_ > kDigitsMax) return Broken("a page number is too long");
      return Broken("not two page numbers");
    }
  }
  return absl::OkStatus();
}

absl::Status EdgeListParser::End(Take take) { return EndLine(take); }

absl::Status ParseEdgeList(ReadBytes read, EdgeListParser::Take take) {
  EdgeListParser parser;
  std::vector<char> piece(64 << 10);
  while (true) {
    ASSIGN_OR_RETURN(const size_t got, read(absl::MakeSpan(piece)));
    if (got == 0) return parser.End(take);
    RETURN_IF_ERROR(parser.Feed({piece.data(), got}, take));
  }
}

}  // namespace opic::graph

// Passes over the tags of a text that mean nothing by themselves, which most tags are, faster than
// the tokenizer reads them (html_tokens.h): 64 bytes are looked at at once, and what was found in
// them is kept from one tag to the next.
//
// Thread safety: a window is confined to one thread; the rest is pure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "links/ascii.h"
#include "links/html_tag.h"
#include "links/near_search.h"

namespace opic::links {

// Where an attribute's value in quotes ends whose first byte is at `from`: at its closing quote, or
// the text's size.
inline size_t ValueEnd(std::string_view text, size_t from, char quote) {
  return quote == '"' ? FindAny<'"'>(text, from) : FindAny<'\''>(text, from);
}

// Where "<" is in 64 bytes of a text, and where "=" and ">" are.
class MarkupWindow {
 public:
  static constexpr size_t kBytes = 64;

  explicit MarkupWindow(std::string_view text) : text_(text) {}

  // The offset of the first "<" at or after `from`; the text's size: there is none.
  size_t FindBegin(size_t from) { return Find(begins_, from); }
  // Likewise, the first "=" or ">".
  size_t FindEnd(size_t from) { return Find(ends_, from); }

 private:
  size_t Find(const uint64_t& marks, size_t from) {
    if (from - at_ >= kBytes) {
      if (from >= text_.size()) return text_.size();
      Load(from);
    }
    uint64_t found = marks & ~uint64_t{0} << (from - at_);
    while (found == 0) {
      if (text_.size() - at_ <= kBytes) return text_.size();
      Load(at_ + kBytes);
      found = marks;
    }
    return at_ + static_cast<size_t>(std::countr_zero(found));
  }

  void Load(size_t at) {
    at_ = at;
    const char* bytes = text_.data() + at;
    char last[kBytes];
    if (text_.size() - at < kBytes) {
      std::memset(last, 0, kBytes);
      std::memcpy(last, bytes, text_.size() - at);
      bytes = last;
    }
#ifdef __x86_64__
    const Bytes64 window(bytes);
    begins_ = window.Mask(MaskOf<'<'>);
    ends_ = window.Mask(MaskOf<'=', '>'>);
#else
    begins_ = ends_ = 0;
    for (size_t i = 0; i < kBytes; ++i) {
      begins_ |= uint64_t{bytes[i] == '<'} << i;
      ends_ |= uint64_t{bytes[i] == '=' || bytes[i] == '>'} << i;
    }
#endif
  }

  const std::string_view text_;
  size_t at_ = ~size_t{0} - kBytes;  // of the window; none was looked at
  uint64_t begins_ = 0, ends_ = 0;
};

// Calls visit(begin, end, is_end_tag) for each plain tag (HtmlTokens::plain) from `at` on, up to
// something else. No "<" is in front of the first one, or between two of them. Returns the offset
// of the next "<": of a tag that may matter, of markup that is no tag, of a tag that is written
// unusually or has no end; the text's size: there is none. REQUIRES: `at` is in no tag, comment or
// raw text. Pure, but for what `visit` does.
template <typename Visit>
size_t PassPlainTags(std::string_view text, size_t at, Visit&& visit) {
  MarkupWindow window(text);
  while (true) {
    const size_t begin = window.FindBegin(at);
    if (text.size() - begin < 4) return begin;  // too little to look at
    const bool is_end_tag = text[begin + 1] == '/';
    const size_t name = begin + (is_end_tag ? 2 : 1);
    if (!IsLetter(text[name])) return begin;
    if (!is_end_tag && MayMatter(text[name], text[name + 1], text[name + 2])) return begin;
    size_t found = window.FindEnd(name);
    if (found == text.size()) return begin;
    if (text[found] == '=') {
      size_t after = FindNameEnd<'/', '>'>(text, name);  // the name, then a value
      do {
        // An attribute's name ends here, unless the "=" is part of another name.
        const char before = found > after ? text[found - 1] : ' ';
        const char quote = found + 1 < text.size() ? text[found + 1] : ' ';
        if (IsSpace(before) || before == '/' || (quote != '"' && quote != '\'')) return begin;
        after = ValueEnd(text, found + 2, quote) + 1;
        if (after >= text.size()) return begin;
        found = window.FindEnd(after);
        if (found == text.size()) return begin;
      } while (text[found] == '=');
    }
    at = found + 1;
    visit(begin, at, is_end_tag);
  }
}

}  // namespace opic::links

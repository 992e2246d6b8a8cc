#include "links/reader_text.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "base/encoding.h"
#include "links/ascii.h"
#include "links/html_tokens.h"
#include "links/near_search.h"
#include "links/raw_text.h"

namespace opic::links {
namespace {

// The words of pieces of a text, a space after each.
class Words {
 public:
  // What is appended are pieces of `html`, each after the one before, with a byte at least between
  // two of them: no more than its size and a last space.
  explicit Words(std::string_view html) : html_(html), words_(new char[html.size() + 1 + 16]) {}

  std::string_view view() const { return {words_.get(), size_}; }

  // The bytes of `html` from `at` up to `end`.
  void Append(size_t at, size_t end) {
    bool after_space = true;
#ifdef __x86_64__
    while (at < end && html_.size() - at >= 16) at += AppendSome(at, end - at, after_space);
#endif
    for (; at < end; ++at) {
      const bool space = IsSpace(html_[at]);
      if (!space || !after_space) words_[size_++] = space ? ' ' : html_[at];
      after_space = space;
    }
    if (!after_space) words_[size_++] = ' ';
  }

 private:
#ifdef __x86_64__
  // Up to sixteen bytes, of which `left` or more are left; how many. Writes to sixteen, of which
  // those behind what was appended are written again.
  size_t AppendSome(size_t at, size_t left, bool& after_space) {
    const __m128i block = Load16(html_.data() + at);
    const __m128i marked = Marked<' ', '\t', '\n', '\f', '\r'>(block);
    const size_t bytes = std::min<size_t>(left, 16);
    const uint32_t spaces = static_cast<uint32_t>(_mm_movemask_epi8(marked)) & ((1U << bytes) - 1);
    const uint32_t behind = spaces & (spaces << 1 | uint32_t{after_space});  // another one
    const size_t kept = behind == 0 ? bytes : static_cast<size_t>(std::countr_zero(behind));
    const __m128i blanks = _mm_and_si128(marked, _mm_set1_epi8(' '));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(words_.get() + size_),
                     _mm_or_si128(_mm_andnot_si128(marked, block), blanks));
    size_ += kept;
    if (behind == 0) {
      after_space = (spaces >> (bytes - 1) & 1) != 0;
      return bytes;
    }
    after_space = true;
    return kept + static_cast<size_t>(std::countr_one(spaces >> kept));
  }
#endif

  const std::string_view html_;
  const std::unique_ptr<char[]> words_;
  size_t size_ = 0;
};

// Where "<!", "<?" or "</" begins, from `at` up to `end`: no text, and no tag. Else `end`.
size_t FindMarkup(std::string_view html, size_t at, size_t end) {
  const std::string_view text = html.substr(0, end);
  for (at = FindAny<'<'>(text, at); at < end; at = FindAny<'<'>(text, at + 1)) {
    const char next = at + 1 < end ? text[at + 1] : ' ';
    if (next == '!' || next == '?' || next == '/') return at;
  }
  return end;
}

// What lies between two tags: text, and comments and declarations, which are left out.
void AppendText(std::string_view html, size_t at, size_t end, Words& words) {
  while (at < end) {
    const size_t markup = FindMarkup(html, at, end);
    words.Append(at, markup);
    if (markup == end) return;
    const std::string_view rest = html.substr(0, end);
    const bool comment = rest.substr(markup, 4) == "<!--";
    at = comment ? CommentEnd(rest, markup + 4) : rest.find('>', markup);
    if (at == rest.npos) return;
    if (!comment) ++at;
  }
}

// Whether the tag that begins at `at` is <h1> to <h6>, or the end of one.
bool IsHeading(std::string_view html, size_t at) {
  const auto byte = [html](size_t offset) { return offset < html.size() ? html[offset] : ' '; };
  const size_t name = at + (byte(at + 1) == '/' ? 2 : 1);
  return Lower(byte(name)) == 'h' && byte(name + 1) >= '1' && byte(name + 1) <= '6' &&
         !IsAlphanumeric(byte(name + 2));
}

// The parts of a text that name what it is about.
class Names {
 public:
  explicit Names(const Words& words) : words_(words) {}

  // What is appended to the words from now on is part of one, or not.
  void Begin() {
    End();
    begin_ = words_.view().size();
  }
  void End() {
    if (begin_ < words_.view().size()) hash_ = base::Hash64(words_.view().substr(begin_), hash_);
    begin_ = kNone;
  }
  uint64_t hash() const { return hash_; }  // 0: there is none

 private:
  static constexpr size_t kNone = ~size_t{0};

  const Words& words_;
  size_t begin_ = kNone;  // of the part that words are appended to
  uint64_t hash_ = 0;
};

}  // namespace

ReaderText ReaderTextOf(std::string_view html, bool with_sketch) {
  Words words(html);
  Names names(words);
  HtmlTokens tokens(html, Attributes::kNone);
  size_t after = 0;
  const auto pass = [&](size_t begin, size_t end, bool is_end_tag) {
    after = end;
    if (IsHeading(html, begin)) is_end_tag ? names.End() : names.Begin();
  };
  const auto append_and_pass = [&](size_t begin, size_t end, bool is_end_tag) {
    words.Append(after, begin);  // no markup is in front of it
    pass(begin, end, is_end_tag);
  };
  while (tokens.NextPastPlainTags(append_and_pass)) {
    AppendText(html, after, tokens.begin(), words);
    pass(tokens.begin(), tokens.end(), tokens.is_end_tag());
    if (tokens.plain() || !Is(tokens.tag(), kRawText)) continue;
    const bool title = tokens.tag() == Tag::kTitle;
    tokens.SkipRawText();
    if (title) {
      names.Begin();
      words.Append(after, tokens.end());
      names.End();
    }
    after = tokens.end();
  }
  AppendText(html, after, html.size(), words);
  names.End();
  const std::string_view text = words.view();
  ReaderText seen = {std::max<uint64_t>(1, base::Hash64(text)), text.size(), {}};
  if (!with_sketch) return seen;
  seen.sketch = SketchOf(text);
  uint64_t& lasting = seen.sketch.lasting;
  lasting = names.hash() == 0 ? 0 : base::Hash64(base::Big64(names.hash()), lasting);
  return seen;
}

}  // namespace opic::links

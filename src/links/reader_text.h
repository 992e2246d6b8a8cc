// The text of an HTML page that a reader sees, as a digest: whether the page has changed, and not
// only a token, a script or a comment in it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/encoding.h"
#include "links/ascii.h"
#include "links/html_tag.h"
#include "links/near_search.h"
#include "links/text_sketch.h"

namespace opic::links {

struct ReaderText {
  uint64_t digest = 0;  // never 0 of a document
  size_t bytes = 0;     // of the words, with a space after each
  // Of the words, when asked for. In TextSketch::lasting every word of the title and of headings
  // counts: a number there tells what the page is about. It is 0 of a page that has neither.
  TextSketch sketch;

  friend bool operator==(const ReaderText&, const ReaderText&) = default;
};

// Of the title and the text between tags, words separated by single spaces: no comments,
// attributes, scripts, style sheets and other raw text. Character references count as written.
// `html` in any encoding that extends ASCII. Total; linear in time and memory.
//
// Thread safety: pure.
ReaderText ReaderTextOf(std::string_view html, bool with_sketch = false);

// The words of pieces of a text, a space after each.
class TextWords {
 public:
  // What is appended are pieces of `html`, each after the one before, with a byte at least between
  // two of them: no more than its size and a last space.
  explicit TextWords(std::string_view html) : html_(html), words_(new char[html.size() + 1 + 16]) {}

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

// The parts of a text that name what it is about.
class TextNames {
 public:
  explicit TextNames(const TextWords& words) : words_(words) {}

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

  const TextWords& words_;
  size_t begin_ = kNone;  // of the part that words are appended to
  uint64_t hash_ = 0;
};

// The text of a page whose tags somebody else reads, so that one walk finds its links and its text.
//
// Thread safety: confined to the owner thread.
class TextSink {
 public:
  // `html` must outlive it.
  explicit TextSink(std::string_view html) : html_(html), words_(html), names_(words_) {}
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  // The tags from the first one on, in order and without a gap, as HtmlTokens has them in a text
  // without SVG and MathML; it may stop after any. No "<" is between this tag and the one before.
  void PlainTag(size_t begin, size_t end, bool is_end_tag) {
    words_.Append(after_, begin);
    Pass(begin, end, is_end_tag);
  }
  // Likewise; between this tag and the one before may be markup that is no tag.
  void AnyTag(size_t begin, size_t end, bool is_end_tag) {
    AppendText(begin);
    Pass(begin, end, is_end_tag);
  }
  // At once after each start tag with kRawText: where its content ends.
  void RawText(Tag tag, size_t end) {
    if (tag == Tag::kTitle) {
      names_.Begin();
      words_.Append(after_, end);
      names_.End();
    }
    after_ = end;
  }
  // Once, at last. Reads itself what is behind the last tag that it was given.
  ReaderText Finish(bool with_sketch);

 private:
  void Pass(size_t begin, size_t end, bool is_end_tag) {
    after_ = end;
    if (IsHeading(begin + (is_end_tag ? 2 : 1))) is_end_tag ? names_.End() : names_.Begin();
  }
  // Whether the name at `at`, of a tag, is h1 to h6. Each comparison says that one more byte is in
  // front of the tag's ">".
  bool IsHeading(size_t at) const {
    return Lower(html_[at]) == 'h' && html_[at + 1] >= '1' && html_[at + 1] <= '6' &&
           !IsAlphanumeric(html_[at + 2]);
  }
  void AppendText(size_t end);  // from after_ on
  void ReadOn();                // likewise, to the end

  const std::string_view html_;
  size_t after_ = 0;  // the last tag that was given, or its raw text
  TextWords words_;
  TextNames names_;
};

}  // namespace opic::links

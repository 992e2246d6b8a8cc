#include "links/reader_text.h"

#include <algorithm>

#include "base/encoding.h"
#include "links/html_tokens.h"
#include "links/near_search.h"
#include "links/raw_text.h"

namespace opic::links {
namespace {

// Where "<!", "<?" or "</" begins, from `at` up to `end`: no text, and no tag. Else `end`.
size_t FindMarkup(std::string_view html, size_t at, size_t end) {
  const std::string_view text = html.substr(0, end);
  for (at = FindAny<'<'>(text, at); at < end; at = FindAny<'<'>(text, at + 1)) {
    const char next = at + 1 < end ? text[at + 1] : ' ';
    if (next == '!' || next == '?' || next == '/') return at;
  }
  return end;
}

}  // namespace

// What lies between two tags: text, and comments and declarations, which are left out.
void TextSink::AppendText(size_t end) {
  const std::string_view rest = html_.substr(0, end);
  for (size_t at = after_; at < end;) {
    const size_t markup = FindMarkup(html_, at, end);
    words_.Append(at, markup);
    if (markup == end) return;
    const bool comment = rest.substr(markup, 4) == "<!--";
    at = comment ? CommentEnd(rest, markup + 4) : rest.find('>', markup);
    if (at == rest.npos) return;
    if (!comment) ++at;
  }
}

void TextSink::ReadOn() {
  HtmlTokens tokens(html_, Attributes::kNone, after_);
  const auto pass = [this](size_t begin, size_t end, bool is_end_tag) {
    PlainTag(begin, end, is_end_tag);
  };
  while (tokens.NextPastPlainTags(pass)) {
    AnyTag(tokens.begin(), tokens.end(), tokens.is_end_tag());
    if (tokens.plain() || !Is(tokens.tag(), kRawText)) continue;
    tokens.SkipRawText();
    RawText(tokens.tag(), tokens.end());
  }
  AppendText(html_.size());
}

ReaderText TextSink::Finish(bool with_sketch) {
  ReadOn();
  names_.End();
  const std::string_view text = words_.view();
  ReaderText seen = {std::max<uint64_t>(1, base::Hash64(text)), text.size(), {}};
  if (!with_sketch) return seen;
  seen.sketch = SketchOf(text);
  uint64_t& lasting = seen.sketch.lasting;
  lasting = names_.hash() == 0 ? 0 : base::Hash64(base::Big64(names_.hash()), lasting);
  return seen;
}

ReaderText ReaderTextOf(std::string_view html, bool with_sketch) {
  return TextSink(html).Finish(with_sketch);
}

}  // namespace opic::links

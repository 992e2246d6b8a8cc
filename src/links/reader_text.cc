#include "links/reader_text.h"

#include <algorithm>
#include <string>

#include "base/encoding.h"
#include "links/ascii.h"
#include "links/html_tokens.h"

namespace opic::links {
namespace {

void AppendWords(std::string_view text, std::string& words) {
  size_t at = 0;
  while (true) {
    while (at < text.size() && IsSpace(text[at])) ++at;
    if (at == text.size()) return;
    const size_t begin = at;
    while (at < text.size() && !IsSpace(text[at])) ++at;
    words.append(text.substr(begin, at - begin));
    words.push_back(' ');
  }
}

// Where "<!", "<?" or "</" begins: no text, and no tag.
size_t FindMarkup(std::string_view text) {
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if (at + 1 < text.size() &&
        std::string_view("!?/").find(text[at + 1]) != std::string_view::npos)
      return at;
  }
  return text.npos;
}

// What lies between two tags: text, and comments and declarations, which are left out.
void AppendText(std::string_view text, std::string& words) {
  while (!text.empty()) {
    const size_t markup = FindMarkup(text);
    AppendWords(text.substr(0, markup), words);
    if (markup == text.npos) return;
    text.remove_prefix(markup);
    const std::string_view end = text.substr(0, 4) == "<!--" ? "-->" : ">";
    const size_t close = text.find(end);
    if (close == text.npos) return;
    text.remove_prefix(close + end.size());
  }
}

}  // namespace

ReaderText ReaderTextOf(std::string_view html, bool with_sketch) {
  std::string words;
  words.reserve(html.size() / 4);
  HtmlTokens tokens(html);
  size_t after = 0;
  while (tokens.Next()) {
    AppendText(html.substr(after, tokens.begin() - after), words);
    after = tokens.end();
    if (tokens.is_end_tag() || !Is(tokens.tag(), kRawText)) continue;
    const bool title = tokens.tag() == Tag::kTitle;
    const std::string_view raw = tokens.SkipRawText();
    if (title) AppendWords(raw, words);
    after = tokens.end();
  }
  AppendText(html.substr(after), words);
  return {std::max<uint64_t>(1, base::Hash64(words)), words.size(),
          with_sketch ? SketchOf(words) : TextSketch()};
}

}  // namespace opic::links

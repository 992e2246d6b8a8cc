#include "links/charset.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"
#include "links/ascii.h"
#include "links/html_tokens.h"

namespace opic::links {
namespace {

constexpr size_t kPrescanBytes = 1024;

struct Label {
  std::string_view label, encoding;
};
constexpr Label kLabels[] = {
#include "links/encoding_labels.inc"
};

// Not Trim: whoever has many pieces of one text would look at its end for each of them.
std::string_view WithoutSpaceInFront(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

// The HTML Standard's "extracting a character encoding from a meta element": the text after
// "charset" and "=".
std::string_view CharsetInContent(std::string_view content) {
  for (size_t at = 0; at < content.size(); ++at) {
    if (!StartsWithLower(content.substr(at), "charset")) continue;
    std::string_view rest = WithoutSpaceInFront(content.substr(at + 7));
    if (rest.empty() || rest.front() != '=') continue;
    rest = WithoutSpaceInFront(rest.substr(1));
    if (rest.empty()) return {};
    if (rest.front() == '"' || rest.front() == '\'') {
      const size_t end = rest.find(rest.front(), 1);
      return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
    }
    const auto end =
        std::find_if(rest.begin(), rest.end(), [](char c) { return IsSpace(c) || c == ';'; });
    return rest.substr(0, static_cast<size_t>(end - rest.begin()));
  }
  return {};
}

// A document that could be read as ASCII up to its declaration is not UTF-16, whatever that says.
std::string_view AsciiExtension(std::string_view encoding) {
  if (encoding.substr(0, 6) == "utf-16") return "utf-8";
  return encoding == "x-user-defined" ? "windows-1252" : encoding;
}

// By the current tag. Empty: by no means.
std::string_view DeclaredBy(const HtmlTokens& tokens) {
  if (tokens.is_end_tag() || tokens.tag() != Tag::kMeta) return {};
  std::string_view label = tokens.RawAttribute("charset").value_or(std::string_view());
  const auto http_equiv = tokens.RawAttribute("http-equiv");
  if (label.empty() && http_equiv && EqualsLower(*http_equiv, "content-type"))
    label = CharsetInContent(tokens.RawAttribute("content").value_or(std::string_view()));
  return AsciiExtension(EncodingOfLabel(label));
}

std::string_view ByteOrderMark(std::string_view body) {
  if (body.substr(0, 3) == "\xEF\xBB\xBF") return "utf-8";
  if (body.substr(0, 2) == "\xFE\xFF") return "utf-16be";
  if (body.substr(0, 2) == "\xFF\xFE") return "utf-16le";
  return {};
}

}  // namespace

std::string_view EncodingOfLabel(std::string_view label) {
  label = Trim(label);
  if (label.size() > 32) return {};
  const std::string lower = LowerCopy(label);
  const Label* found =
      std::lower_bound(std::begin(kLabels), std::end(kLabels), lower,
                       [](const Label& entry, std::string_view key) { return entry.label < key; });
  return found != std::end(kLabels) && found->label == lower ? found->encoding : std::string_view();
}

std::string_view MetaEncoding(std::string_view body) {
  HtmlTokens prescan(body.substr(0, kPrescanBytes));
  while (prescan.Next()) {
    if (const std::string_view encoding = DeclaredBy(prescan); !encoding.empty()) return encoding;
  }
  HtmlTokens head(body);
  while (head.Next() && Is(head.tag(), kMetadata)) {
    if (const std::string_view encoding = DeclaredBy(head); !encoding.empty()) return encoding;
    if (!head.is_end_tag() && Is(head.tag(), kRawText)) head.SkipRawText();
  }
  return {};
}

std::string_view XmlDeclarationEncoding(std::string_view body) {
  if (body.substr(0, 5) != "<?xml") return {};
  body = body.substr(0, kPrescanBytes);
  const std::string_view declaration = body.substr(0, body.find('>'));
  const size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return {};
  std::string_view rest = Trim(declaration.substr(at + 8));
  if (rest.empty() || rest.front() != '=') return {};
  rest = Trim(rest.substr(1));
  if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return {};
  const size_t end = rest.find(rest.front(), 1);
  if (end == std::string_view::npos) return {};
  return AsciiExtension(EncodingOfLabel(rest.substr(1, end - 1)));
}

std::string_view DetectEncoding(std::string_view body, std::string_view header_label) {
  if (const std::string_view mark = ByteOrderMark(body); !mark.empty()) return mark;
  if (const std::string_view header = EncodingOfLabel(header_label); !header.empty()) return header;
  if (const std::string_view meta = MetaEncoding(body); !meta.empty()) return meta;
  if (const std::string_view xml = XmlDeclarationEncoding(body); !xml.empty()) return xml;
  return base::IsUtf8(body) ? "utf-8" : "windows-1252";
}

std::string_view DetectXmlEncoding(std::string_view body, std::string_view header_label) {
  if (const std::string_view mark = ByteOrderMark(body); !mark.empty()) return mark;
  if (const std::string_view header = EncodingOfLabel(header_label); !header.empty()) return header;
  const std::string_view declared = XmlDeclarationEncoding(body);
  return declared.empty() ? "utf-8" : declared;
}

}  // namespace opic::links

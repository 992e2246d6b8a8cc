// Implements a part of links/xml_links.h.
#include <algorithm>

#include "links/ascii.h"
#include "links/xml_links.h"

namespace opic::links {
namespace {

constexpr size_t kSniffBytesMax = 4096;

// Drops what `text` begins with up to and including `end`; all of it where there is no `end`.
void SkipPast(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
}

void SkipDoctype(std::string_view& text) {
  const size_t subset = text.find('[');
  if (subset < text.find('>')) SkipPast(text, "]");
  SkipPast(text, ">");
}

// Drops instructions, comments and the document type; `text` then begins with the root element.
void SkipProlog(std::string_view& text) {
  while (true) {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    if (text.substr(0, 2) == "<?") {
      SkipPast(text, "?>");
    } else if (text.substr(0, 4) == "<!--") {
      SkipPast(text, "-->");
    } else if (text.substr(0, 2) == "<!") {
      SkipDoctype(text);
    } else {
      return;
    }
  }
}

std::string_view LocalNameOfTag(std::string_view text) {
  if (text.empty() || text.front() != '<') return {};
  text.remove_prefix(1);
  text = text.substr(0, text.find_first_of(" \t\r\n/>"));
  return text.substr(text.find(':') + 1);  // npos + 1 is 0: without a prefix, the whole
}

}  // namespace

Kind SniffXml(std::string_view body) {
  body = body.substr(0, kSniffBytesMax);
  if (body.substr(0, 3) == "\xEF\xBB\xBF") body.remove_prefix(3);
  while (!body.empty() && IsSpace(body.front())) body.remove_prefix(1);
  const bool declared = body.substr(0, 5) == "<?xml";
  SkipProlog(body);
  const std::string_view root = LocalNameOfTag(body);
  if (root == "rss" || root == "feed" || root == "RDF") return Kind::kFeed;
  if (root == "urlset") return Kind::kSitemap;
  if (root == "sitemapindex") return Kind::kSitemapIndex;
  if (!declared) return Kind::kOther;
  return root == "html" ? Kind::kXhtml : Kind::kXml;
}

}  // namespace opic::links

// opic-modules: links
// Any bytes as a document of any type: the first byte chooses the type and the parser, the rest is
// the body. The result keeps its bounds, a canonical is one of the links or the document, and a
// second reading, which is for the text, too, gives the same. One walk over the body as HTML finds
// the text that a walk of its own finds.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/check.h"
#include "links/html_scanner.h"
#include "links/link_elements.h"
#include "links/link_sink.h"
#include "links/links.h"
#include "links/reader_text.h"

namespace {

using opic::links::Document;
using opic::links::Limits;
using opic::links::Result;

constexpr std::string_view kTypes[] = {"text/html",
                                       "text/html; charset=shift_jis",
                                       "text/html; charset=utf-16",
                                       "",
                                       "application/xhtml+xml",
                                       "application/xml",
                                       "text/html; charset=iso-2022-jp",
                                       "application/feed+json"};
constexpr size_t kLinksMax = 20;

void CheckBounds(const Result& result) {
  OPIC_CHECK(result.links.size() <= kLinksMax);
  OPIC_CHECK(!result.nofollow || result.links.empty());
  for (const opic::url::Url& link : result.links) {
    OPIC_CHECK(link.text().size() <= opic::url::kUrlBytesMax);
    OPIC_CHECK(link.text().substr(0, 4) == "http");
  }
}

void CheckCanonical(const Result& result, const opic::url::Url& page) {
  if (!result.canonical) return;
  OPIC_CHECK(!result.nofollow && !result.canonicals_differ);
  OPIC_CHECK(result.canonical->text() == page.text() ||
             std::find(result.links.begin(), result.links.end(), *result.canonical) !=
                 result.links.end());
}

void CheckText(std::string_view html, const opic::url::Url& page, const Limits& limits) {
  Result result;
  opic::links::LinkSink sink(page, limits, result);
  opic::links::LinkElements elements(sink, result, "opic");
  opic::links::TextSink text(html);
  opic::links::ScanHtml(html, elements, text);
  OPIC_CHECK(text.Finish(true) == opic::links::ReaderTextOf(html, true));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const opic::url::Url kPage = *opic::url::Parse("http://site.example/dir/page.html");
  if (size == 0) return 0;
  Document document;
  document.url = &kPage;
  document.content_type = kTypes[data[0] % std::size(kTypes)];
  document.body = std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1);
  document.x_robots_tag = document.body.substr(0, data[0] >= 128 ? 40 : 0);
  Limits limits;
  limits.links_max = kLinksMax;
  limits.gumbo = (data[0] & 8) == 0;
  const Result first = Extract(document, limits);
  CheckBounds(first);
  CheckCanonical(first, kPage);
  limits.text_digest = limits.text_sketch = true;
  const Result second = Extract(document, limits);
  OPIC_CHECK(second.links == first.links);
  OPIC_CHECK(second.canonical == first.canonical);
  CheckText(document.body, kPage, limits);
  return 0;
}

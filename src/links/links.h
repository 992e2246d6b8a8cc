// The links of a document: bytes from a stranger in, distinct absolute URLs in document order out.
//
// HTML: Gumbo with an arena allocator behind a guard (docs/design.md section 7), and our own linear
// scanner for what the guard refuses. XML (feeds, sitemaps, XLink, xml-stylesheet, XHTML): an event
// parser, no DTD, no entities. A total function: garbage gives the links that can be found, and
// counters; time and memory are linear in the body and bounded by the limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "url/url.h"

namespace opic::links {

struct Limits {
  size_t links_max = 10'000;  // distinct links kept; more sets Result::truncated
  int depth_max = 400;        // element nesting above which Gumbo is not used
  size_t gumbo_bytes_max = 8 << 20;
  bool scanner_only = false;  // never Gumbo: several times faster; differs on ill-formed pages only
};

struct Document {
  std::string_view body;          // decoded of any content-encoding
  std::string_view content_type;  // header value, may be empty: then sniffed
  std::string_view x_robots_tag;  // header values joined by ", ", may be empty
  const url::Url* url = nullptr;  // never null: what relative links are resolved against
  std::string_view product_token =
      "opic";  // for meta name=opic and "opic: nofollow" in X-Robots-Tag
};

enum class Kind : uint8_t { kHtml, kXhtml, kXml, kFeed, kSitemap, kSitemapIndex, kText, kOther };
enum class Parser : uint8_t { kNone, kGumbo, kScanner, kXml };

struct Result {
  std::vector<url::Url>
      links;  // distinct, document order, without the document itself, without rel=nofollow
  Kind kind = Kind::kOther;
  Parser parser = Parser::kNone;
  bool nofollow = false;  // meta robots or X-Robots-Tag: `links` is then empty
  bool noindex = false;
  bool truncated = false;   // links_max was reached
  uint32_t rejected = 0;    // href values that are no http(s) URL, or malformed
  uint32_t nofollowed = 0;  // links left out for their own rel=nofollow
};

// `document.url` and the body are read during the call only. Thread safety: pure.
Result Extract(const Document& document, const Limits& limits = {});

}  // namespace opic::links

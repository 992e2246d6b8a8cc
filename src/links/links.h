// The links of a document: bytes from a stranger in, distinct absolute URLs in document order out.
//
// HTML: a linear scanner; or, when asked for, Gumbo with an arena allocator behind a guard, and the
// scanner for what the guard refuses (docs/design.md section 7). XML (feeds, sitemaps, XLink,
// xml-stylesheet, XHTML): an event parser, no DTD, no entities. JSON Feeds, and texts that are
// lists of URLs (sitemaps). A total function: garbage gives the links that can be found, and
// counters; time and memory are linear in the body and bounded by the limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "links/text_sketch.h"
#include "url/url.h"

namespace opic::links {

// Elements whose URLs are followed when asked for. Most <object> and <embed> are pictures and
// players, and a form may lead to pages without end.
struct FurtherElements {
  bool object = false;  // <object data>
  bool embed = false;   // <embed src>
  bool form = false;    // <form action> with the method get, as if sent without a field
};

struct Limits {
  size_t links_max = 50'000;  // distinct links kept; more sets Result::truncated
  // HTML is read by Gumbo where the guard allows it: 25 times slower. The two may differ on
  // ill-formed pages only.
  bool gumbo = false;
  int depth_max = 400;               // element nesting above which Gumbo is not used
  size_t gumbo_bytes_max = 8 << 20;  // of a text above which Gumbo is not used
  bool text_digest = false;          // Result::text_digest and text_bytes are wanted
  bool text_sketch = false;          // Result::text_sketch, too
  // Relations of <link> to be followed besides those that link_relations.h lists.
  std::vector<std::string> link_rels;
  // Relations that leave a link out as nofollow does: ugc and sponsored, for example.
  std::vector<std::string> nofollow_rels;
  FurtherElements further;
};

struct Document {
  std::string_view body;          // decoded of any content-encoding
  std::string_view content_type;  // header value, may be empty: then sniffed
  // Header values, those of several lines joined by ", "; may be empty.
  std::string_view x_robots_tag, link_header, refresh_header;
  const url::Url* url = nullptr;  // never null: what relative links are resolved against
  // For <meta name=opic> and "opic: nofollow" in X-Robots-Tag.
  std::string_view product_token = "opic";
};

enum class Kind : uint8_t { kHtml, kXhtml, kXml, kFeed, kSitemap, kSitemapIndex, kText, kOther };
enum class Parser : uint8_t { kNone, kGumbo, kScanner, kXml };

struct Result {
  // Distinct, in document order, those of the header first; without the document itself, without
  // rel=nofollow.
  std::vector<url::Url> links;
  Kind kind = Kind::kOther;
  Parser parser = Parser::kNone;
  bool nofollow = false;  // meta robots or X-Robots-Tag: `links` is then empty
  bool noindex = false;
  // The page that this one names as its canonical, itself perhaps (rel=canonical of <link> in the
  // head, or of the Link header); in `links`, too, unless it is the document. Nothing: none, or
  // nofollow.
  std::optional<url::Url> canonical;
  bool canonicals_differ = false;  // it names several; `canonical` is then nothing
  bool truncated = false;          // links_max was reached, or their bytes (LinkSink::BoundBytes)
  uint32_t rejected = 0;           // href values that are no http(s) URL, too long or malformed
  uint32_t other_scheme = 0, too_long = 0;  // of those
  // How many of `links` come before the first link to the document itself; empty links and
  // links to a place in it ("", "#top") do not count. Nothing: there is none.
  std::optional<size_t> own_link;
  uint64_t text_digest = 0;  // of what a reader of HTML sees (reader_text.h); 0: none
  size_t text_bytes = 0;     // length of that text; 0 without a digest
  TextSketch text_sketch;    // of that text; without words where there is none
  uint32_t nofollowed = 0;   // links left out for their own rel (nofollow, Limits::nofollow_rels)
};

// `document.url` and the body are read during the call only.
//
// Thread safety: pure.
Result Extract(const Document& document, const Limits& limits = {});

}  // namespace opic::links

// Links out of XML: RSS and Atom feeds, sitemaps and sitemap indexes, XLink, xml-stylesheet and
// xml-model instructions, XHTML. An event parser [expat] that reads no DTD and expands no entity
// but XML's own five.
//
// A total function: an error in the middle of a document keeps the links found before it. Time is
// linear in the body; memory and nesting are bounded (xml_parser.h has the parser's own bounds).
//
//   RSS      text of link, guid (an absolute URL that is a permalink), comments; enclosure url and
//            source url
//   Atom     link href, except services and resources; text of uri; content src
//   sitemap  text of loc
//   XHTML    as in HTML (link_elements.h), also inside feeds and sitemaps
//   XLink    xlink:href of any element
//   any      href of xml-stylesheet and xml-model instructions; xml:base, except in XHTML documents
#pragma once

#include <cstddef>
#include <string_view>

#include "links/link_relations.h"
#include "links/link_sink.h"
#include "links/links.h"

namespace opic::links {

inline constexpr size_t kXmlDepthMax = 1000;  // open elements; deeper ends the parse
// Limit of a link given as text; a longer one is rejected.
inline constexpr size_t kXmlTextBytesMax = 4096;

struct XmlOutcome {
  // kXhtml, kFeed, kSitemap, kSitemapIndex, or kXml for any other root element.
  Kind kind = Kind::kXml;
  // Read to its end without an error or a bound; else `links` is what was found until then.
  bool well_formed = false;
  bool nofollow = false;  // XHTML meta robots: the caller drops the links
  bool noindex = false;
};

// Which XML language the first bytes of a document without a helpful content type speak: kFeed,
// kSitemap, kSitemapIndex by the name of the root element; kXhtml and kXml only behind an XML
// declaration; else kOther. Looks at the first 4 KiB.
Kind SniffXml(std::string_view body);

// Puts the links of `document.body` into `sink`, in document order. `charset` "UTF-8" overrules the
// document's own declaration (the caller has decoded the body); empty: byte order mark, then
// declaration, among UTF-8, UTF-16, ISO-8859-1 and US-ASCII.
// `document.url` and `document.product_token` are used; `content_type` and the headers are not.
// `relations` and `further`: of XHTML. Thread safety: pure.
XmlOutcome ParseXml(const Document& document, std::string_view charset,
                    const LinkRelations& relations, LinkSink& sink, FurtherElements further = {});

}  // namespace opic::links

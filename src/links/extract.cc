// Implements a part of links/links.h.
#include <algorithm>
#include <optional>
#include <utility>

#include "links/charset.h"
#include "links/content_type.h"
#include "links/gumbo_links.h"
#include "links/header_links.h"
#include "links/html_guard.h"
#include "links/html_scanner.h"
#include "links/json_feed.h"
#include "links/link_elements.h"
#include "links/link_sink.h"
#include "links/links.h"
#include "links/reader_text.h"
#include "links/robots_directives.h"
#include "links/url_list.h"
#include "links/utf8_text.h"
#include "links/xml_links.h"

namespace opic::links {
namespace {

// Gumbo's tree takes some 10 to 30 bytes for each byte of a page.
constexpr size_t kTreeBytesPerByte = 64;
constexpr size_t kTreeBytesFree = 4 << 20;

class Extraction {
 public:
  Extraction(const Document& document, const Limits& limits)
      : document_(document), limits_(limits), relations_(limits.link_rels, limits.nofollow_rels) {}

  Result Run() {
    type_ = ParseContentType(document_.content_type);
    Kind kind = DocumentKind(type_, document_.body);
    if (kind == Kind::kOther && IsUnknown(type_)) kind = SniffXml(document_.body);
    Begin(kind);
    Parse();
    if (result_.nofollow) {
      result_.links.clear();
      result_.canonical.reset();
      result_.own_link.reset();
    }
    return std::move(result_);
  }

 private:
  // Nothing of the body is read yet.
  void Begin(Kind kind) {
    result_ = Result();
    result_.kind = kind;
    sink_.emplace(*document_.url, limits_, result_);
    sink_->BoundBytes(document_.body.size());
    ApplyRobotsHeader(document_.x_robots_tag, document_.product_token, result_);
    AddLinkHeader(document_.link_header, relations_, *sink_);
    AddRefreshHeader(document_.refresh_header, *sink_);
  }

  void Parse() {
    switch (result_.kind) {
      case Kind::kHtml:
        return ParseHtml();
      case Kind::kXhtml:
        if (ParseAsXml()) return;
        Begin(Kind::kXhtml);  // what is behind the error counts, too
        return ParseHtml();
      case Kind::kXml:
      case Kind::kFeed:
      case Kind::kSitemap:
      case Kind::kSitemapIndex:
        ParseAsXml();
        return;
      case Kind::kText:
      case Kind::kOther:
        return ParseAsText();
    }
  }

  // A JSON Feed, or a list of URLs, both of which are in UTF-8; else it has no links.
  void ParseAsText() {
    const Utf8Text text(document_.body, "UTF-8");
    const bool unknown = IsUnknown(type_);
    const bool feed = type_.essence == "application/feed+json";
    const bool json =
        unknown || type_.essence == "application/json" || type_.essence == "text/json";
    if (feed || (json && IsJsonFeed(text.view()))) {
      result_.kind = Kind::kFeed;
      AddJsonFeedLinks(text.view(), *sink_);
    } else if ((unknown || result_.kind == Kind::kText) && IsUrlList(text.view())) {
      result_.kind = Kind::kText;
      AddUrlList(text.view(), *sink_);
    }
  }

  void ParseHtml() {
    const std::string_view encoding = DetectEncoding(document_.body, type_.charset);
    const Utf8Text text(document_.body, encoding);
    sink_->SetEncoding(encoding);
    LinkElements elements(*sink_, result_, document_.product_token, relations_, limits_.further);
    const bool tree = ReadTree(text.view(), elements);
    result_.parser = tree ? Parser::kGumbo : Parser::kScanner;
    if (!limits_.text_digest) {
      if (!tree) ScanHtml(text.view(), elements);
      return;
    }
    TextSink seen(text.view());
    if (!tree) ScanHtml(text.view(), elements, seen);
    KeepText(seen.Finish(limits_.text_sketch));
  }

  void KeepText(const ReaderText& seen) {
    result_.text_digest = seen.digest;
    result_.text_bytes = seen.bytes;
    result_.text_sketch = seen.sketch;
  }

  // By Gumbo. False: it must not, or did not.
  bool ReadTree(std::string_view text, LinkElements& elements) const {
    const size_t tree_bytes_max = kTreeBytesFree + kTreeBytesPerByte * text.size();
    return GumboMayRead(text) && GumboLinks(text, tree_bytes_max, elements).finished;
  }

  bool GumboMayRead(std::string_view text) const {
    if (!limits_.gumbo) return false;
    GuardLimits limits;
    limits.bytes_max = limits_.gumbo_bytes_max;
    limits.depth_max = static_cast<size_t>(std::max(limits_.depth_max, 0));
    return CheckForGumbo(text, limits) == GuardVerdict::kSafe;
  }

  // False: not well-formed.
  bool ParseAsXml() {
    const std::string_view encoding = DetectXmlEncoding(document_.body, type_.charset);
    const Utf8Text text(document_.body, encoding);
    if (result_.kind == Kind::kXhtml) sink_->SetEncoding(encoding);
    Document decoded = document_;
    decoded.body = text.view();
    const XmlOutcome outcome = ParseXml(decoded, "UTF-8", relations_, *sink_, limits_.further);
    result_.parser = Parser::kXml;
    // A type that names XHTML holds even where the text cannot be read as such.
    if (result_.kind != Kind::kXhtml || outcome.well_formed) result_.kind = outcome.kind;
    result_.nofollow |= outcome.nofollow;
    result_.noindex |= outcome.noindex;
    return outcome.well_formed;
  }

  const Document& document_;
  const Limits& limits_;
  const LinkRelations relations_;
  ContentType type_;
  Result result_;
  std::optional<LinkSink> sink_;
};

}  // namespace

Result Extract(const Document& document, const Limits& limits) {
  return Extraction(document, limits).Run();
}

}  // namespace opic::links

#include "links/xml_links.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "links/ascii.h"
#include "links/character_reference.h"
#include "links/html_tag.h"
#include "links/link_elements.h"
#include "links/xml_names.h"
#include "links/xml_parser.h"

namespace opic::links {
namespace {

// The text of the element that is being read, when that is a link.
class LinkText {
 public:
  // `depth` of the element. `absolute_only`: a text that is no http(s) URL is no link at all.
  void Begin(size_t depth, bool absolute_only) {
    depth_ = depth;
    absolute_only_ = absolute_only;
    text_.clear();
  }
  // Pieces of text at other depths belong to other elements.
  void Append(size_t depth, std::string_view piece) {
    if (depth != depth_) return;
    while (text_.empty() && !piece.empty() && IsSpace(piece.front())) piece.remove_prefix(1);
    text_.append(piece.substr(0, kXmlTextBytesMax + 1 - text_.size()));
  }
  void End(size_t depth, LinkSink& sink) {
    if (depth != depth_) return;
    depth_ = 0;
    if (text_.empty()) return;
    if (absolute_only_ && !StartsWithLower(text_, "http://") && !StartsWithLower(text_, "https://"))
      return;
    text_.size() > kXmlTextBytesMax ? sink.Reject(url::Rejected::kTooLong) : sink.Add(text_);
  }

 private:
  size_t depth_ = 0;  // 0: no link
  bool absolute_only_ = false;
  std::string text_;
};

// RFC 4287 section 4.2.7.2 and its registry: what is no page to read, but a service or a picture.
bool IsServiceRel(std::string_view rel) {
  constexpr std::string_view kServices[] = {"edit",       "edit-media", "hub",    "icon",
                                            "stylesheet", "pingback",   "salmon", "service"};
  return std::find(std::begin(kServices), std::end(kServices), rel) != std::end(kServices);
}

// The source text of name="value" in a processing instruction
// (https://www.w3.org/TR/xml-stylesheet/, section 3).
std::optional<std::string_view> PseudoAttribute(std::string_view data, std::string_view name) {
  while (true) {
    const size_t equals = data.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view found = Trim(data.substr(0, equals));
    data = Trim(data.substr(equals + 1));
    if (data.empty() || (data[0] != '"' && data[0] != '\'')) return std::nullopt;
    const size_t end = data.find(data[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    if (found == name) return data.substr(1, end - 1);
    data.remove_prefix(end + 1);
  }
}

// Knows the vocabularies: which elements and attributes are links.
class XmlLinkFinder : public XmlEvents {
 public:
  XmlLinkFinder(const Document& document, const LinkRelations& relations, LinkSink& sink,
                FurtherElements further)
      : sink_(sink), html_(sink, robots_meta_, document.product_token, relations, further) {}

  Next OnStart(std::string_view name, const XmlAttributes& attributes) override {
    const bool root = names_.depth() == 0;
    names_.Open(attributes);
    if (names_.depth() > kXmlDepthMax) return Next::kStop;
    if (root) ReadRoot(name);
    OpenBase(attributes);
    const XmlName element = names_.Element(name);
    if (!(element.vocabulary == Vocabulary::kSvg && element.local == "a")) ReadXlink(attributes);
    ReadElement(element, attributes);
    return sink_.full() ? Next::kStop : Next::kGoOn;
  }

  void OnEnd() override {
    text_.End(names_.depth(), sink_);
    if (!outer_bases_.empty() && outer_bases_.back().depth == names_.depth()) {
      sink_.SetBase(outer_bases_.back().base);
      outer_bases_.pop_back();
    }
    if (template_depth_ == names_.depth()) template_depth_ = 0;
    names_.Close();
  }

  void OnText(std::string_view text) override { text_.Append(names_.depth(), text); }

  void OnInstruction(std::string_view target, std::string_view data) override {
    if (root_seen_ || (target != "xml-stylesheet" && target != "xml-model")) return;
    std::string buffer;
    if (const auto href = PseudoAttribute(data, "href")) sink_.Add(DecodeAttribute(*href, buffer));
  }

  XmlOutcome Outcome(bool well_formed) const {
    return {kind_, well_formed, robots_meta_.nofollow, robots_meta_.noindex};
  }

 private:
  struct OuterBase {
    size_t depth;  // of the element whose xml:base hides it
    url::Url base;
  };

  // Languages that came before namespaces, or are often written without: the root says it all.
  void ReadRoot(std::string_view name) {
    root_seen_ = true;
    const XmlName root = names_.Element(name);
    const bool unknown =
        root.vocabulary == Vocabulary::kNone || root.vocabulary == Vocabulary::kOther;
    if (root.local == "urlset" || root.local == "sitemapindex") {
      kind_ = root.local == "urlset" ? Kind::kSitemap : Kind::kSitemapIndex;
      if (unknown) names_.SetDefault(Vocabulary::kSitemap);
    } else if (root.local == "rss") {
      kind_ = Kind::kFeed;
      if (unknown) names_.SetDefault(Vocabulary::kRss);
    } else if (root.local == "html" && (unknown || root.vocabulary == Vocabulary::kXhtml)) {
      kind_ = Kind::kXhtml;
      if (unknown) names_.SetDefault(Vocabulary::kXhtml);
    } else if (root.vocabulary == Vocabulary::kAtom) {
      kind_ = Kind::kFeed;
    }
    if (kind_ != Kind::kXhtml) html_.BodyBegins();  // elsewhere XHTML is quoted
  }

  // XML Base (https://www.w3.org/TR/xmlbase/). XHTML has <base> instead, and browsers know nothing
  // else.
  void OpenBase(const XmlAttributes& attributes) {
    const auto href = attributes.Find("xml:base");
    if (!href || kind_ == Kind::kXhtml) return;
    const auto base = url::Parse(*href, &sink_.base());
    if (!base) return;
    outer_bases_.push_back({names_.depth(), sink_.base()});
    sink_.SetBase(*base);
  }

  void ReadXlink(const XmlAttributes& attributes) {
    if (const auto href = XlinkHref(attributes)) sink_.Add(*href);
  }

  std::optional<std::string_view> XlinkHref(const XmlAttributes& attributes) const {
    for (size_t i = 0; i < attributes.size(); ++i) {
      const XmlName name = names_.Attribute(attributes.name(i));
      if (name.vocabulary == Vocabulary::kXlink && name.local == "href") return attributes.value(i);
    }
    return std::nullopt;
  }

  void ReadElement(const XmlName& element, const XmlAttributes& attributes) {
    switch (element.vocabulary) {
      case Vocabulary::kRss:
        return ReadRss(element.local, attributes);
      case Vocabulary::kAtom:
        return ReadAtom(element.local, attributes);
      case Vocabulary::kSitemap:
        if (element.local == "loc") text_.Begin(names_.depth(), /*absolute_only=*/false);
        return;
      case Vocabulary::kXhtml:
        return ReadXhtml(element.local, attributes);
      case Vocabulary::kSvg:
        return ReadSvg(element.local, attributes);
      default:
        return;
    }
  }

  void ReadRss(std::string_view local, const XmlAttributes& attributes) {
    if (kind_ == Kind::kXml) kind_ = Kind::kFeed;  // RSS 1.0 has the root element of all RDF
    if (local == "link" || local == "comments") {
      text_.Begin(names_.depth(), /*absolute_only=*/false);
    } else if (local == "guid" && attributes.Find("isPermaLink") != "false") {
      // A permalink unless it says otherwise; but many are numbers that forget to say so.
      text_.Begin(names_.depth(), /*absolute_only=*/true);
    } else if (local == "enclosure" || local == "source") {
      AddAttribute(attributes, "url");
    }
  }

  void ReadAtom(std::string_view local, const XmlAttributes& attributes) {
    if (local == "link") {
      const std::string_view rel = attributes.Find("rel").value_or("alternate");
      if (rel == "nofollow") {
        sink_.AddNofollow(attributes.Find("href").value_or(""));
      } else if (!IsServiceRel(rel)) {
        AddAttribute(attributes, "href");
      }
    } else if (local == "uri") {
      text_.Begin(names_.depth(), /*absolute_only=*/false);
    } else if (local == "content") {
      AddAttribute(attributes, "src");
    }
  }

  void ReadXhtml(std::string_view local, const XmlAttributes& attributes) {
    const Tag tag = TagOfName(local);
    if (tag == Tag::kTemplate && template_depth_ == 0) template_depth_ = names_.depth();
    if (tag == Tag::kBody || tag == Tag::kFrameset) html_.BodyBegins();
    if (template_depth_ != 0 || !IsLinkElement(tag, /*foreign=*/false)) return;
    // In a feed, <base> would be that of a page which is quoted there.
    if (tag == Tag::kBase && kind_ != Kind::kXhtml) return;
    html_.Visit(tag, /*foreign=*/false, [&](const char* name) { return attributes.Find(name); });
  }

  void ReadSvg(std::string_view local, const XmlAttributes& attributes) {
    if (local != "a") return;
    // The prefix of the other href need not be "xlink".
    html_.Visit(Tag::kA, /*foreign=*/true, [&](const char* name) {
      return name == std::string_view("xlink:href") ? XlinkHref(attributes) : attributes.Find(name);
    });
  }

  void AddAttribute(const XmlAttributes& attributes, std::string_view name) {
    if (const auto value = attributes.Find(name)) sink_.Add(*value);
  }

  LinkSink& sink_;
  Result robots_meta_;  // only its nofollow and noindex: what <meta name=robots> says
  LinkElements html_;
  XmlNames names_;
  LinkText text_;
  Kind kind_ = Kind::kXml;
  bool root_seen_ = false;
  size_t template_depth_ = 0;  // 0: outside <template>, whose content is no part of the document
  std::vector<OuterBase> outer_bases_;
};

}  // namespace

XmlOutcome ParseXml(const Document& document, std::string_view charset,
                    const LinkRelations& relations, LinkSink& sink, FurtherElements further) {
  XmlLinkFinder finder(document, relations, sink, further);
  const bool well_formed = ReadXml(document.body, charset, finder);
  return finder.Outcome(well_formed);
}

}  // namespace opic::links

// Which elements are links: the rules that both HTML parsers share.
//
//   <base href>                        what later links are resolved against; the first one counts
//   <a href> <area href>               links; in SVG also <a xlink:href>
//   <link href>                        a link where its rel leads to a page (link_relations.h)
//   <link rel=canonical href>          in the head: that page is the document's canonical, too
//   <iframe src> <frame src>           links
//   <object data> <embed src>          links, when asked for (FurtherElements)
//   <form action>                      likewise, where its method is get: without its query, as it
//                                      is asked for when no field is filled in
//   <meta http-equiv=refresh>          a link to its URL
//   <meta name=robots|PRODUCT_TOKEN>   noindex, nofollow
//
// rel=nofollow, or one of Limits::nofollow_rels, leaves a link out. Content of <template> is no
// part of the document, unless it is a declarative shadow root, and must not be shown to this
// class; content of <noscript> is, since nothing here runs scripts.
#pragma once

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "links/html_tag.h"
#include "links/link_relations.h"
#include "links/link_sink.h"

namespace opic::links {

// The value of an attribute of the element, decoded; nothing: it is absent. Valid while the element
// is visited. So what nobody asks for is not decoded.
using ValueOf = absl::FunctionRef<std::optional<std::string_view>(const char* name)>;

// Whether the element can matter, so that it is worth a visit. `foreign`: it is in SVG or MathML,
// where only <a> means anything.
bool IsLinkElement(Tag tag, bool foreign);

// Thread safety: confined to the owner thread.
class LinkElements {
 public:
  // All must outlive it.
  LinkElements(LinkSink& sink, Result& result, std::string_view product_token,
               const LinkRelations& relations = LinkRelations(), FurtherElements further = {})
      : sink_(sink),
        result_(result),
        product_token_(product_token),
        relations_(relations),
        further_(further) {}

  // Elements in document order. REQUIRES: IsLinkElement(tag, foreign).
  void Visit(Tag tag, bool foreign, ValueOf value_of);
  // What follows is content. There, where comments and quotations of other pages are, nothing says
  // what the document's canonical is.
  void BodyBegins() { in_body_ = true; }
  // No later link can be taken.
  bool full() const { return sink_.full(); }

 private:
  void VisitBase(ValueOf value_of);
  void VisitHyperlink(Tag tag, bool foreign, ValueOf value_of);
  void VisitForm(ValueOf value_of);
  void VisitMeta(ValueOf value_of);

  LinkSink& sink_;
  Result& result_;
  const std::string_view product_token_;
  const LinkRelations relations_;
  const FurtherElements further_;
  bool base_seen_ = false, in_body_ = false;
};

// Whether a <template> with this value of "shadowrootmode" is a declarative shadow root, whose
// content is part of the document (HTML Standard, 4.12.3).
bool IsShadowRootMode(std::optional<std::string_view> mode);

// The URL in the content of a <meta http-equiv=refresh>, "5; url='next.html'"; nothing where the
// page only reloads itself (HTML Standard, 4.2.5.3, shared declarative refresh steps).
std::optional<std::string_view> RefreshUrl(std::string_view content);

}  // namespace opic::links

// Whether the tags being read are in SVG or MathML, where <title> and <style> are ordinary elements
// and
// "<![CDATA[" means something (HTML Standard, 13.2.6.5, "in foreign content").
//
// Follows only the elements that decide this: <svg>, <math> and the integration points in which
// HTML begins again. Exact where those are well nested; at most kOpenMax are kept open, deeper ones
// count as their surroundings.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <vector>

#include "links/html_tokens.h"

namespace opic::links {

class ForeignContent {
 public:
  static constexpr size_t kOpenMax = 64;

  // Whether any SVG or MathML is open; if not, no end tag matters.
  bool any() const { return !open_.empty(); }
  // Whether a start tag now would be an SVG or MathML element.
  bool inside() const { return !open_.empty() && !open_.back().html_inside; }
  // Whether "<![CDATA[" begins a CDATA section now: the element around is an SVG or MathML one, as
  // an integration point is before its first HTML element.
  bool cdata_allowed() const { return !open_.empty() && !open_.back().html_seen; }

  // Every tag, in order. Says whether the tag's element is itself an SVG or MathML one.
  bool Visit(const HtmlTokens& token) {
    return (any() || token.tag() == Tag::kSvg || token.tag() == Tag::kMath) && VisitNear(token);
  }

 private:
  bool VisitNear(const HtmlTokens& token);  // of a tag that is, or may be within, foreign content
  struct Open {
    Tag tag;
    bool svg;          // an SVG element, else a MathML one
    bool html_inside;  // an integration point
    bool html_seen;    // and HTML has begun there
  };
  void Push(const HtmlTokens& token, bool svg, bool html_inside);
  void BreakOut();
  bool VisitInside(const HtmlTokens& token);
  void Close(Tag tag);

  std::vector<Open> open_;
};

}  // namespace opic::links

#include "links/foreign_content.h"

#include "links/ascii.h"

namespace opic::links {
namespace {

bool IsMathText(Tag tag) {
  return tag == Tag::kMi || tag == Tag::kMo || tag == Tag::kMn || tag == Tag::kMs ||
         tag == Tag::kMtext;
}
bool IsSvgHtml(Tag tag) {
  return tag == Tag::kForeignObject || tag == Tag::kDesc || tag == Tag::kTitle;
}

bool HoldsHtml(const HtmlTokens& token, bool svg) {
  if (svg) return IsSvgHtml(token.tag());
  if (token.tag() != Tag::kAnnotationXml) return IsMathText(token.tag());
  const auto encoding = token.RawAttribute("encoding");
  return encoding &&
         (EqualsLower(*encoding, "text/html") || EqualsLower(*encoding, "application/xhtml+xml"));
}

bool IsFollowed(Tag tag) {
  return tag == Tag::kSvg || tag == Tag::kMath || tag == Tag::kAnnotationXml || IsMathText(tag) ||
         IsSvgHtml(tag);
}

bool BreaksOut(const HtmlTokens& token) {
  if (Is(token.tag(), kBreakout)) return true;
  return token.tag() == Tag::kFont &&
         (token.RawAttribute("color") || token.RawAttribute("face") || token.RawAttribute("size"));
}

}  // namespace

bool ForeignContent::VisitNear(const HtmlTokens& token) {
  if (token.is_end_tag()) {
    if (IsFollowed(token.tag())) Close(token.tag());
    return false;
  }
  if (inside()) return VisitInside(token);
  if (token.tag() != Tag::kSvg && token.tag() != Tag::kMath) {
    open_.back().html_seen = true;
    return false;
  }
  Push(token, token.tag() == Tag::kSvg, false);
  return true;
}

bool ForeignContent::VisitInside(const HtmlTokens& token) {
  if (BreaksOut(token)) {
    BreakOut();
    return false;
  }
  if (!IsFollowed(token.tag())) return true;
  // Everything here is of the vocabulary around it, but <svg> in <annotation-xml>.
  const Open& around = open_.back();
  const bool svg = around.svg || (around.tag == Tag::kAnnotationXml && token.tag() == Tag::kSvg);
  Push(token, svg, HoldsHtml(token, svg));
  return true;
}

void ForeignContent::Push(const HtmlTokens& token, bool svg, bool html_inside) {
  if (token.self_closing() || open_.size() >= kOpenMax) return;
  open_.push_back({token.tag(), svg, html_inside, /*html_seen=*/false});
}

void ForeignContent::BreakOut() {
  while (inside()) open_.pop_back();
}

void ForeignContent::Close(Tag tag) {
  for (size_t i = open_.size(); i-- > 0;) {
    if (open_[i].tag != tag) continue;
    open_.resize(i);
    return;
  }
}

}  // namespace opic::links

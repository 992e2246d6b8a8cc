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

bool HoldsHtml(const HtmlTokens& token) {
  if (token.tag() != Tag::kAnnotationXml) return IsMathText(token.tag()) || IsSvgHtml(token.tag());
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

bool ForeignContent::Visit(const HtmlTokens& token) {
  if (open_.empty() && token.tag() != Tag::kSvg && token.tag() != Tag::kMath) return false;
  if (token.is_end_tag()) {
    if (IsFollowed(token.tag())) Close(token.tag());
    return false;
  }
  if (inside()) return VisitInside(token);
  if (token.tag() != Tag::kSvg && token.tag() != Tag::kMath) return false;
  Push(token, false);
  return true;
}

bool ForeignContent::VisitInside(const HtmlTokens& token) {
  if (BreaksOut(token)) {
    BreakOut();
    return false;
  }
  if (IsFollowed(token.tag())) Push(token, HoldsHtml(token));
  return true;
}

void ForeignContent::Push(const HtmlTokens& token, bool html_inside) {
  if (token.self_closing() || open_.size() >= kOpenMax) return;
  open_.push_back({token.tag(), html_inside});
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

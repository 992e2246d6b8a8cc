#include "links/html_scanner.h"

#include <string>

#include "links/character_reference.h"
#include "links/foreign_content.h"
#include "links/html_tokens.h"

namespace opic::links {
namespace {

class HtmlScanner {
 public:
  HtmlScanner(std::string_view text, LinkElements& elements)
      : tokens_(text, Attributes::kMeaning), elements_(elements) {}

  void Run() {
    while (!elements_.full() && tokens_.Next()) {
      if (tokens_.plain() && templates_ == 0 && !foreign_.any()) {
        if (!tokens_.is_end_tag()) elements_.BodyBegins();
        continue;
      }
      tokens_.KeepName();
      const bool foreign = foreign_.Visit(tokens_);
      tokens_.set_cdata_allowed(foreign_.cdata_allowed());
      if (tokens_.is_end_tag()) {
        if (tokens_.tag() == Tag::kTemplate && templates_ > 0) --templates_;
        continue;
      }
      VisitStartTag(foreign);
      if (!foreign && Is(tokens_.tag(), kRawText)) tokens_.SkipRawText();
    }
  }

 private:
  void VisitStartTag(bool foreign) {
    const Tag tag = tokens_.tag();
    if (tag == Tag::kTemplate && !foreign && !IsShadowRoot()) ++templates_;
    if (tag == Tag::kFrameset) frameset_seen_ = true;
    if (templates_ == 0 && (foreign || !Is(tag, kMetadata))) elements_.BodyBegins();
    if (templates_ > 0 || !IsLinkElement(tag, foreign)) return;
    if (tag == Tag::kFrame && !frameset_seen_) return;
    LinkElement element{tag, foreign};
    element.href = Decoded("href", href_);
    if (!element.href && foreign) element.href = Decoded("xlink:href", href_);
    element.src = Decoded("src", src_);
    element.rel = Decoded("rel", rel_);
    if (tag == Tag::kLink) element.type = Decoded("type", type_);
    if (tag == Tag::kObject) element.data = Decoded("data", content_);
    if (tag == Tag::kForm) {
      element.action = Decoded("action", content_);
      element.method = Decoded("method", name_);
    }
    if (tag == Tag::kMeta) {
      element.name = Decoded("name", name_);
      element.content = Decoded("content", content_);
      element.http_equiv = Decoded("http-equiv", http_equiv_);
    }
    elements_.Visit(element);
  }

  // Its content is shown in place of its parent's. Within another template it is none yet.
  bool IsShadowRoot() {
    return templates_ == 0 && IsShadowRootMode(Decoded("shadowrootmode", name_));
  }

  std::optional<std::string_view> Decoded(std::string_view name, std::string& buffer) {
    const auto raw = tokens_.RawAttribute(name);
    if (!raw) return std::nullopt;
    return DecodeAttribute(*raw, buffer);
  }

  HtmlTokens tokens_;
  LinkElements& elements_;
  ForeignContent foreign_;
  size_t templates_ = 0;  // open ones
  bool frameset_seen_ = false;
  std::string href_, src_, rel_, type_, name_, content_, http_equiv_;  // room for decoded values
};

}  // namespace

void ScanHtml(std::string_view text, LinkElements& elements) { HtmlScanner(text, elements).Run(); }

}  // namespace opic::links

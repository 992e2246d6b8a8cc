#include "links/html_scanner.h"

#include <deque>
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
    while (!elements_.full() && Next()) {
      if (tokens_.plain() && !NeedsAllTags()) {
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
  bool NeedsAllTags() const { return templates_ > 0 || foreign_.any(); }

  bool Next() {
    if (NeedsAllTags()) return tokens_.Next();
    return tokens_.NextPastPlainTags([this](size_t, size_t, bool is_end_tag) {
      if (!is_end_tag) elements_.BodyBegins();
    });
  }

  void VisitStartTag(bool foreign) {
    decoded_used_ = 0;
    const Tag tag = tokens_.tag();
    if (tag == Tag::kTemplate && !foreign && !IsShadowRoot()) ++templates_;
    if (tag == Tag::kFrameset) frameset_seen_ = true;
    if (templates_ == 0 && (foreign || !Is(tag, kMetadata))) elements_.BodyBegins();
    if (templates_ > 0 || !IsLinkElement(tag, foreign)) return;
    if (tag == Tag::kFrame && !frameset_seen_) return;
    elements_.Visit(tag, foreign, [this](const char* name) { return Value(name); });
  }

  // Its content is shown in place of its parent's. Within another template it is none yet.
  bool IsShadowRoot() { return templates_ == 0 && IsShadowRootMode(Value("shadowrootmode")); }

  std::optional<std::string_view> Value(std::string_view name) {
    const auto raw = tokens_.RawAttribute(name);
    if (!raw) return std::nullopt;
    if (decoded_used_ == decoded_.size()) decoded_.emplace_back();
    std::string& room = decoded_[decoded_used_];
    const std::string_view value = DecodeAttribute(*raw, room);
    if (value.data() == room.data()) ++decoded_used_;
    return value;
  }

  HtmlTokens tokens_;
  LinkElements& elements_;
  ForeignContent foreign_;
  size_t templates_ = 0;  // open ones
  bool frameset_seen_ = false;
  std::deque<std::string> decoded_;  // room for decoded values, so many of which are of this tag
  size_t decoded_used_ = 0;
};

}  // namespace

void ScanHtml(std::string_view text, LinkElements& elements) { HtmlScanner(text, elements).Run(); }

}  // namespace opic::links

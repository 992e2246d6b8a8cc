#include "links/html_scanner.h"

#include <deque>
#include <string>

#include "links/character_reference.h"
#include "links/foreign_content.h"
#include "links/html_tokens.h"

namespace opic::links {
namespace {

// The text that is read along, up to where its tags are not those of the links any more.
class TextAlong {
 public:
  explicit TextAlong(TextSink& sink) : sink_(sink) {}

  void PlainTag(size_t begin, size_t end, bool is_end_tag) {
    if (along_) sink_.PlainTag(begin, end, is_end_tag);
  }
  void AnyTag(const HtmlTokens& tokens) {
    if (along_) sink_.AnyTag(tokens.begin(), tokens.end(), tokens.is_end_tag());
  }
  void RawText(const HtmlTokens& tokens) {
    if (along_) sink_.RawText(tokens.tag(), tokens.end());
  }
  void Part() { along_ = false; }

 private:
  TextSink& sink_;
  bool along_ = true;
};

// Nobody wants it.
struct NoText {
  void PlainTag(size_t, size_t, bool) {}
  void AnyTag(const HtmlTokens&) {}
  void RawText(const HtmlTokens&) {}
  void Part() {}
};

template <typename Text>
class HtmlScanner {
 public:
  HtmlScanner(std::string_view html, LinkElements& elements, Text text)
      : tokens_(html, Attributes::kMeaning), elements_(elements), text_(text) {}

  void Run() {
    while (!elements_.full() && Next()) {
      if (tokens_.plain() && !NeedsAllTags()) {
        text_.AnyTag(tokens_);
        if (!tokens_.is_end_tag()) elements_.BodyBegins();
        continue;
      }
      tokens_.KeepName();
      const bool foreign = foreign_.Visit(tokens_);
      tokens_.set_cdata_allowed(foreign_.cdata_allowed());
      VisitTag(foreign);
    }
  }

 private:
  bool NeedsAllTags() const { return templates_ > 0 || foreign_.any(); }

  bool Next() {
    if (NeedsAllTags()) {
      const bool any = tokens_.Next();
      // The text takes a CDATA section for a comment, which ends elsewhere.
      if (foreign_.cdata_allowed() && tokens_.saw_cdata()) text_.Part();
      return any;
    }
    return tokens_.NextPastPlainTags([this](size_t begin, size_t end, bool is_end_tag) {
      text_.PlainTag(begin, end, is_end_tag);
      if (!is_end_tag) elements_.BodyBegins();
    });
  }

  void VisitTag(bool foreign) {
    const bool raw_text = !tokens_.is_end_tag() && Is(tokens_.tag(), kRawText);
    if (raw_text && foreign) text_.Part();  // it knows no SVG, where a <title> holds elements
    text_.AnyTag(tokens_);
    if (tokens_.is_end_tag()) {
      if (tokens_.tag() == Tag::kTemplate && templates_ > 0) --templates_;
      return;
    }
    VisitStartTag(foreign);
    if (!raw_text || foreign) return;
    tokens_.SkipRawText();
    text_.RawText(tokens_);
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
  Text text_;
  ForeignContent foreign_;
  size_t templates_ = 0;  // open ones
  bool frameset_seen_ = false;
  std::deque<std::string> decoded_;  // room for decoded values, so many of which are of this tag
  size_t decoded_used_ = 0;
};

}  // namespace

void ScanHtml(std::string_view html, LinkElements& elements) {
  HtmlScanner(html, elements, NoText()).Run();
}

void ScanHtml(std::string_view html, LinkElements& elements, TextSink& text) {
  HtmlScanner(html, elements, TextAlong(text)).Run();
}

}  // namespace opic::links

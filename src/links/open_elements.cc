#include "links/open_elements.h"

#include "links/ascii.h"

namespace opic::links {
namespace {

// Re-creating an element costs about as much as fifty steps along the stack, an attribute half of
// that.
constexpr uint64_t kElementWork = 50;
constexpr uint64_t kAttributeWork = 25;
constexpr uint64_t kBytesPerStep = 16;

bool IsForeignRoot(Tag tag) { return tag == Tag::kSvg || tag == Tag::kMath; }

// How far up an element whose end tag may be left out reaches: a start tag of one level ends open
// elements of the lower levels. 0: not such an element.
int ImpliedLevel(Tag tag) {
  switch (tag) {
    case Tag::kP:
      return 1;
    case Tag::kLi:
    case Tag::kDd:
    case Tag::kDt:
      return 2;
    case Tag::kTd:
    case Tag::kTh:
      return 3;
    case Tag::kTr:
      return 4;
    case Tag::kTbody:
    case Tag::kThead:
    case Tag::kTfoot:
    case Tag::kColgroup:
      return 5;
    default:
      return 0;
  }
}

// Whether the start tag of `tag` ends an open `other` of the same level.
bool Replaces(Tag tag, Tag other) {
  if (ImpliedLevel(tag) > 2) return true;
  const bool definitions = tag == Tag::kDd || tag == Tag::kDt;
  return tag == other || (definitions && (other == Tag::kDd || other == Tag::kDt));
}

}  // namespace

void OpenElements::Start(const HtmlTokens& token) {
  const Tag tag = token.tag();
  if (tag == Tag::kFrameset) frameset_ = true;
  if (foreign_ > 0) {
    if (Is(tag, kBreakout | kHoldsHtml) || tag == Tag::kFont) foreign_doubt_ = true;
  } else {
    CloseImplied(tag);
  }
  // What is a table for the guard may have been ignored for standing in a <select>.
  if (tag == Tag::kTable && selects_ > 0) table_doubt_ = true;
  if (!LeavesNothingOpen(token)) Push(token);
}

bool OpenElements::LeavesNothingOpen(const HtmlTokens& token) const {
  const Tag tag = token.tag();
  if (foreign_ > 0 || IsForeignRoot(tag)) {
    return token.self_closing() && !foreign_doubt_;
  }
  // There is one <html>, <head> and <body> whatever the text says.
  if (tag == Tag::kHtml || tag == Tag::kHead || tag == Tag::kBody) return true;
  const bool stray = Is(tag, kTablePart) && tag != Tag::kTable && tables_ + templates_ == 0;
  return stray || Is(tag, kVoid);
}

void OpenElements::CloseImplied(Tag tag) {
  if (Is(tag, kClosesP) && !stack_.empty() && stack_.back().tag == Tag::kP)
    PopTo(stack_.size() - 1);
  const int level = ImpliedLevel(tag);
  if (level < 2 || (Is(tag, kTablePart) && (tables_ == 0 || table_doubt_))) return;
  for (size_t i = stack_.size(); i-- > 0;) {
    const int open_level = ImpliedLevel(stack_[i].tag);
    if (open_level == 0 || open_level > level) return;
    if (open_level == level) {
      if (Replaces(tag, stack_[i].tag)) PopTo(i);
      return;
    }
  }
}

void OpenElements::Push(const HtmlTokens& token) {
  const Tag tag = token.tag();
  Open open{tag, false, 0, token.name()};
  const bool structure = tag == Tag::kTable || ImpliedLevel(tag) >= 4;
  const bool cell = ImpliedLevel(tag) == 3 || tag == Tag::kCaption || tag == Tag::kTemplate;
  open.fosters = structure || (!cell && !stack_.empty() && stack_.back().fosters);
  if (Is(tag, kFormatting)) {
    const uint64_t bytes = token.end() - token.begin();
    open.formatting_work =
        kElementWork + token.attribute_count() * kAttributeWork + bytes / kBytesPerStep;
  }
  stack_.push_back(open);
  Count(open, 1);
}

void OpenElements::PopTo(size_t depth) {
  while (stack_.size() > depth) {
    Count(stack_.back(), -1);
    stack_.pop_back();
  }
  if (foreign_ == 0) foreign_doubt_ = false;
  if (tables_ == 0) table_doubt_ = false;
}

void OpenElements::Count(const Open& open, int change) {
  tables_ += open.tag == Tag::kTable ? change : 0;
  selects_ += open.tag == Tag::kSelect ? change : 0;
  templates_ += open.tag == Tag::kTemplate ? change : 0;
  foreign_ += IsForeignRoot(open.tag) ? change : 0;
  formatting_work_ += static_cast<uint64_t>(change) * open.formatting_work;  // wraps back exactly
}

bool OpenElements::End(const HtmlTokens& token) {
  const Tag tag = token.tag();
  if (tag == Tag::kBody || tag == Tag::kHtml || tag == Tag::kHead) return true;
  const bool ends_implied = Is(tag, kBlockEnd) && foreign_ == 0;
  for (size_t i = stack_.size(); i-- > 0;) {
    const Open& open = stack_[i];
    if (open.tag == tag && (tag != Tag::kOther || EqualsNoCase(open.name, token.name()))) {
      PopTo(i);
      return true;
    }
    if (!ends_implied || !Is(open.tag, kImplied)) break;
  }
  foreign_doubt_ |= foreign_ > 0;
  table_doubt_ |= tables_ > 0;
  return false;
}

bool OpenElements::may_foster() const {
  return tables_ > 0 && (table_doubt_ || stack_.back().fosters);
}

}  // namespace opic::links

#include "links/html_tokens.h"

#include <algorithm>

#include "links/ascii.h"
#include "links/near_search.h"
#include "links/raw_text.h"

namespace opic::links {

bool HtmlTokens::Next() {
  attribute_count_ = 0;
  while (true) {
    at_ = FindAny<'<'>(text_, at_);
    if (at_ == text_.size()) return false;
    const char next = At(at_ + 1);
    if (IsLetter(next) || (next == '/' && IsLetter(At(at_ + 2)))) {
      if (ReadTag()) return true;
    } else if (next == '!' || next == '?' || next == '/') {
      SkipMarkup();
    } else {
      ++at_;
    }
  }
}

bool HtmlTokens::ReadTag() {
  begin_ = at_;
  is_end_tag_ = At(at_ + 1) == '/';
  self_closing_ = false;
  attributes_.clear();
  attribute_count_ = 0;
  name_begin_ = at_ + (is_end_tag_ ? 2 : 1);
  if (kept_ == Attributes::kAll) {
    ReadWholeTag();
  } else {
    ReadTagOnly();
  }
  if (at_ == text_.size()) return false;
  ++at_;  // ">"
  return true;
}

size_t HtmlTokens::NameEnd() const { return FindNameEnd<'/', '>'>(text_, name_begin_); }

void HtmlTokens::ReadName() {
  name_ = std::string_view(text_.data() + name_begin_, NameEnd() - name_begin_);
  tag_ = TagOfNameIn(text_, name_begin_, name_.size());
  name_read_ = true;
}

void HtmlTokens::ReadWholeTag() {
  ReadName();
  ReadAttributes();
}

void HtmlTokens::ReadAttributes() {
  at_ = name_begin_ + name_.size();
  while (ReadAttribute()) {
  }
}

// Of most tags only the end is wanted. Where the processor foresaw wrongly what a tag is, three
// of its letters tell it far sooner than its name would.
void HtmlTokens::ReadTagOnly() {
  plain_ = is_end_tag_ || !MayMatter(text_[name_begin_], At(name_begin_ + 1), At(name_begin_ + 2));
  name_read_ = false;
  if (!plain_) {
    ReadName();
    if (kept_ == Attributes::kMeaning && Is(tag_, kMeaning)) return ReadAttributes();
  }
  const size_t found = FindAny<'=', '>'>(text_, name_begin_);
  if (At(found) == '>') {
    self_closing_ = text_[found - 1] == '/';
    at_ = found;
    return;
  }
  at_ = plain_ ? NameEnd() : name_begin_ + name_.size();
  if (SkipAttributes(found)) return;
  while (ReadAttribute()) {
  }
  attributes_.clear();
  attribute_count_ = 0;
}

std::string_view HtmlTokens::name() const {
  if (name_read_) return name_;
  return text_.substr(name_begin_, NameEnd() - name_begin_);
}

// To the ">" of the tag, or to the end of the text. `found`: the first "=" or ">" behind the begin
// of the name. A "=" behind a character of an attribute's name begins a value, and a ">" outside of
// a value ends the tag. False: at an attribute that is written in another way than `name="value"`.
bool HtmlTokens::SkipAttributes(size_t found) {
  if (found < at_) found = FindAny<'=', '>'>(text_, at_);
  while (found < text_.size()) {
    const char before = found > at_ ? text_[found - 1] : ' ';
    if (text_[found] == '>') {
      self_closing_ = before == '/';
      at_ = found;
      return true;
    }
    const char quote = At(found + 1);
    if (IsSpace(before) || before == '/' || (quote != '"' && quote != '\'')) return false;
    at_ = std::min(ValueEnd(text_, found + 2, quote) + 1, text_.size());
    found = FindAny<'=', '>'>(text_, at_);
  }
  return false;
}

// The states from "before attribute name" on. False: at ">" or at the end of the text.
bool HtmlTokens::ReadAttribute() {
  while (at_ < text_.size() && (IsSpace(text_[at_]) || text_[at_] == '/')) {
    self_closing_ = text_[at_++] == '/' && At(at_) == '>';
  }
  if (at_ == text_.size() || text_[at_] == '>') return false;
  const size_t name_begin = at_;
  at_ = FindNameEnd<'/', '>', '='>(text_, at_ + 1);  // a "=" at its begin is of the name
  Attribute attribute{text_.substr(name_begin, at_ - name_begin), {}};
  const size_t name_end = at_;
  SkipSpace();
  if (At(at_) == '=') {
    ++at_;
    attribute.raw = ReadAttributeValue();
  } else {
    at_ = name_end;
  }
  ++attribute_count_;
  if (attributes_.size() < kAttributesMax) attributes_.push_back(attribute);
  return true;
}

std::string_view HtmlTokens::ReadAttributeValue() {
  SkipSpace();
  const char quote = At(at_);
  if (quote == '"' || quote == '\'') {
    const size_t begin = ++at_;
    const size_t end = ValueEnd(text_, begin, quote);
    at_ = std::min(end + 1, text_.size());
    return text_.substr(begin, end - begin);
  }
  const size_t begin = at_;
  while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != '>') ++at_;
  return text_.substr(begin, at_ - begin);
}

void HtmlTokens::SkipMarkup() {
  const std::string_view rest = text_.substr(at_);
  const bool cdata = rest.substr(0, 9) == "<![CDATA[";
  saw_cdata_ |= cdata;
  if (rest.substr(0, 4) == "<!--") {
    at_ = CommentEnd(text_, at_ + 4);
  } else if (cdata && cdata_allowed_) {
    at_ += 9;
    SkipPast("]]>");
  } else if (rest.substr(0, 2) == "</" && rest.size() == 2) {
    at_ = text_.size();
  } else {
    at_ += 2;  // "</>" is nothing, the rest bogus comments
    SkipPast(">");
  }
}

std::string_view HtmlTokens::SkipRawText() {
  const size_t begin = at_;
  at_ = RawTextEnd(text_, at_, name());
  return text_.substr(begin, at_ - begin);
}

void HtmlTokens::SkipPast(std::string_view end) {
  const size_t found = text_.find(end, at_);
  at_ = found == std::string_view::npos ? text_.size() : found + end.size();
}

std::optional<std::string_view> HtmlTokens::RawAttribute(std::string_view lower_name) const {
  for (const Attribute& attribute : attributes_) {
    if (EqualsLower(attribute.name, lower_name)) return attribute.raw;
  }
  return std::nullopt;
}

}  // namespace opic::links

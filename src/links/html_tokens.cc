#include "links/html_tokens.h"

#include <algorithm>

#include "links/ascii.h"
#include "links/raw_text.h"

namespace opic::links {
namespace {

bool EndsTagName(char c) { return IsSpace(c) || c == '/' || c == '>'; }
bool EndsAttributeName(char c) { return EndsTagName(c) || c == '='; }

}  // namespace

bool HtmlTokens::Next() {
  attribute_count_ = 0;
  while (true) {
    at_ = std::min(text_.find('<', at_), text_.size());
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
  const size_t name_begin = at_ + (is_end_tag_ ? 2 : 1);
  at_ = name_begin;
  while (at_ < text_.size() && !EndsTagName(text_[at_])) ++at_;
  name_ = text_.substr(name_begin, at_ - name_begin);
  tag_ = TagOfName(name_);
  while (ReadAttribute()) {
  }
  if (at_ == text_.size()) return false;
  ++at_;  // ">"
  return true;
}

// The states from "before attribute name" on. False: at ">" or at the end of the text.
bool HtmlTokens::ReadAttribute() {
  while (at_ < text_.size() && (IsSpace(text_[at_]) || text_[at_] == '/')) {
    self_closing_ = text_[at_++] == '/' && At(at_) == '>';
  }
  if (at_ == text_.size() || text_[at_] == '>') return false;
  const size_t name_begin = at_++;  // a "=" here begins the name
  while (at_ < text_.size() && !EndsAttributeName(text_[at_])) ++at_;
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
    const size_t end = std::min(text_.find(quote, begin), text_.size());
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
    at_ += 4;
    SkipComment();
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

// A comment ends at "-->" or "--!>", and at once with "<!-->" or "<!--->" (13.2.5.43 to 13.2.5.51).
void HtmlTokens::SkipComment() {
  const size_t begin = at_;
  while (true) {
    const size_t close = text_.find('>', at_);
    if (close == std::string_view::npos) {
      at_ = text_.size();
      return;
    }
    at_ = close + 1;
    const std::string_view content = text_.substr(begin, close - begin);
    const size_t size = content.size();
    if (content.empty() || content == "-") return;
    if (size >= 2 && content.substr(size - 2) == "--") return;
    if (size >= 3 && content.substr(size - 3) == "--!") return;
  }
}

std::string_view HtmlTokens::SkipRawText() {
  const size_t begin = at_;
  at_ = RawTextEnd(text_, at_, name_);
  return text_.substr(begin, at_ - begin);
}

void HtmlTokens::SkipPast(std::string_view end) {
  const size_t found = text_.find(end, at_);
  at_ = found == std::string_view::npos ? text_.size() : found + end.size();
}

void HtmlTokens::SkipSpace() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
}

std::optional<std::string_view> HtmlTokens::RawAttribute(std::string_view lower_name) const {
  for (const Attribute& attribute : attributes_) {
    if (EqualsLower(attribute.name, lower_name)) return attribute.raw;
  }
  return std::nullopt;
}

}  // namespace opic::links

#include "links/link_elements.h"

#include <algorithm>

#include "links/ascii.h"
#include "links/robots_directives.h"

namespace opic::links {
namespace {

void SkipSpaces(std::string_view& text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
}

// "url" and "=" with white space around; leaves `text` alone where they are not both there.
void SkipUrlWord(std::string_view& text) {
  std::string_view rest = text;
  if (!StartsWithLower(rest, "url")) return;
  rest.remove_prefix(3);
  SkipSpaces(rest);
  if (rest.empty() || rest.front() != '=') return;
  rest.remove_prefix(1);
  SkipSpaces(rest);
  text = rest;
}

void AddUnlessEmpty(std::optional<std::string_view> url, LinkSink& sink) {
  if (url && !Trim(*url).empty()) sink.Add(*url);
}

}  // namespace

bool IsLinkElement(Tag tag, bool foreign) {
  switch (tag) {
    case Tag::kA:
      return true;
    case Tag::kArea:
    case Tag::kBase:
    case Tag::kEmbed:
    case Tag::kForm:
    case Tag::kFrame:
    case Tag::kIframe:
    case Tag::kLink:
    case Tag::kMeta:
    case Tag::kObject:
      return !foreign;
    default:
      return false;
  }
}

void LinkElements::Visit(Tag tag, bool foreign, ValueOf value_of) {
  switch (tag) {
    case Tag::kBase:
      return VisitBase(value_of);
    case Tag::kMeta:
      return VisitMeta(value_of);
    case Tag::kFrame:
    case Tag::kIframe:
      // An empty src means about:blank here, not the document itself.
      return AddUnlessEmpty(value_of("src"), sink_);
    case Tag::kEmbed:
      if (further_.embed) AddUnlessEmpty(value_of("src"), sink_);
      return;
    case Tag::kObject:
      if (further_.object) AddUnlessEmpty(value_of("data"), sink_);
      return;
    case Tag::kForm:
      return VisitForm(value_of);
    default:
      return VisitHyperlink(tag, foreign, value_of);
  }
}

void LinkElements::VisitBase(ValueOf value_of) {
  const auto href = value_of("href");
  if (!href || base_seen_) return;
  base_seen_ = true;
  sink_.SetBase(*href);
}

void LinkElements::VisitHyperlink(Tag tag, bool foreign, ValueOf value_of) {
  auto href = value_of("href");
  if (!href && foreign) href = value_of("xlink:href");
  if (!href) return;
  const std::string_view rel = value_of("rel").value_or("");
  if (tag == Tag::kLink && !relations_.LeadToPage(rel, value_of("type"))) return;
  if (relations_.HasNofollow(rel)) {
    sink_.AddNofollow(*href);
  } else if (tag == Tag::kLink && !in_body_ && HasCanonical(rel) && !Trim(*href).empty()) {
    sink_.AddCanonical(*href);  // "" would be the base, or the document
  } else {
    sink_.Add(*href);
  }
}

// What is sent replaces the action's query (HTML Standard, 4.10.22.3, "mutate action URL"). Any
// other method than post and dialog is get.
void LinkElements::VisitForm(ValueOf value_of) {
  if (!further_.form) return;
  const auto action = value_of("action");
  if (!action) return;
  const std::string_view method = value_of("method").value_or("");
  if (EqualsLower(method, "post") || EqualsLower(method, "dialog")) return;
  if (relations_.HasNofollow(value_of("rel").value_or(""))) return sink_.AddNofollow(*action);
  AddUnlessEmpty(action->substr(0, action->find_first_of("?#")), sink_);
}

void LinkElements::VisitMeta(ValueOf value_of) {
  const auto content = value_of("content");
  if (!content) return;
  if (const auto name = value_of("name")) {
    if (EqualsLower(Trim(*name), "robots") || EqualsNoCase(Trim(*name), product_token_))
      ApplyRobotsMeta(*content, result_);
  }
  if (EqualsLower(Trim(value_of("http-equiv").value_or("")), "refresh")) {
    if (const auto url = RefreshUrl(*content)) sink_.Add(*url);
  }
}

bool IsShadowRootMode(std::optional<std::string_view> mode) {
  return mode && (EqualsLower(*mode, "open") || EqualsLower(*mode, "closed"));
}

std::optional<std::string_view> RefreshUrl(std::string_view content) {
  SkipSpaces(content);
  const size_t time_bytes = std::min(content.find_first_not_of("0123456789."), content.size());
  if (time_bytes == 0) return std::nullopt;
  content.remove_prefix(time_bytes);
  if (content.empty() || !(content.front() == ';' || content.front() == ',' || IsSpace(content[0])))
    return std::nullopt;
  SkipSpaces(content);
  if (!content.empty() && (content.front() == ';' || content.front() == ','))
    content.remove_prefix(1);
  SkipSpaces(content);
  if (content.empty()) return std::nullopt;
  SkipUrlWord(content);
  if (!content.empty() && (content.front() == '"' || content.front() == '\'')) {
    const size_t end = content.find(content.front(), 1);
    return content.substr(1, end == std::string_view::npos ? end : end - 1);
  }
  return content;
}

}  // namespace opic::links

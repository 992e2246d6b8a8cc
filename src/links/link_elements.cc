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

void LinkElements::Visit(const LinkElement& element) {
  if (!IsLinkElement(element.tag, element.foreign)) return;
  switch (element.tag) {
    case Tag::kBase:
      if (!element.href || base_seen_) return;
      base_seen_ = true;
      sink_.SetBase(*element.href);
      return;
    case Tag::kMeta:
      return VisitMeta(element);
    case Tag::kFrame:
    case Tag::kIframe:
      // An empty src means about:blank here, not the document itself.
      return AddUnlessEmpty(element.src, sink_);
    case Tag::kEmbed:
      if (further_.embed) AddUnlessEmpty(element.src, sink_);
      return;
    case Tag::kObject:
      if (further_.object) AddUnlessEmpty(element.data, sink_);
      return;
    case Tag::kForm:
      return VisitForm(element);
    default:
      return VisitHyperlink(element);
  }
}

void LinkElements::VisitHyperlink(const LinkElement& element) {
  if (!element.href) return;
  const std::string_view rel = element.rel.value_or(std::string_view());
  if (element.tag == Tag::kLink && !relations_.LeadToPage(rel, element.type)) return;
  if (relations_.HasNofollow(rel)) {
    sink_.AddNofollow(*element.href);
  } else if (element.tag == Tag::kLink && !in_body_ && HasCanonical(rel) &&
             !Trim(*element.href).empty()) {
    sink_.AddCanonical(*element.href);  // "" would be the base, or the document
  } else {
    sink_.Add(*element.href);
  }
}

// What is sent replaces the action's query (HTML Standard, 4.10.22.3, "mutate action URL"). Any other
// method than post and dialog is get.
void LinkElements::VisitForm(const LinkElement& element) {
  if (!further_.form || !element.action) return;
  const std::string_view method = element.method.value_or(std::string_view());
  if (EqualsLower(method, "post") || EqualsLower(method, "dialog")) return;
  if (relations_.HasNofollow(element.rel.value_or(std::string_view())))
    return sink_.AddNofollow(*element.action);
  AddUnlessEmpty(element.action->substr(0, element.action->find_first_of("?#")), sink_);
}

void LinkElements::VisitMeta(const LinkElement& element) {
  if (!element.content) return;
  if (element.name) {
    const std::string_view name = Trim(*element.name);
    if (EqualsLower(name, "robots") || EqualsNoCase(name, product_token_))
      ApplyRobotsMeta(*element.content, result_);
  }
  if (element.http_equiv && EqualsLower(Trim(*element.http_equiv), "refresh")) {
    if (const auto url = RefreshUrl(*element.content)) sink_.Add(*url);
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

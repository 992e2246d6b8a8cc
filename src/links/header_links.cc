#include "links/header_links.h"

#include <algorithm>
#include <optional>
#include <string>

#include "links/ascii.h"
#include "links/link_elements.h"
#include "url/percent_encoding.h"

namespace opic::links {
namespace {

void SkipSpaces(std::string_view& text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
}

// A token, or a quoted string without its quotes and backslashes (RFC 9110 section 5.6.4).
std::string TakeValue(std::string_view& text) {
  std::string value;
  if (text.empty() || text.front() != '"') {
    const size_t end = std::min(text.find_first_of(";, \t"), text.size());
    value = text.substr(0, end);
    text.remove_prefix(end);
    return value;
  }
  for (text.remove_prefix(1); !text.empty() && text.front() != '"'; text.remove_prefix(1)) {
    if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
    value += text.front();
  }
  if (!text.empty()) text.remove_prefix(1);
  return value;
}

struct Parameters {
  std::optional<std::string> rel, type;  // the first of each counts
  bool anchored = false;
};

Parameters TakeParameters(std::string_view& text) {
  Parameters parameters;
  for (SkipSpaces(text); !text.empty() && text.front() == ';'; SkipSpaces(text)) {
    text.remove_prefix(1);
    SkipSpaces(text);
    const size_t name_end = std::min(text.find_first_of("=;, \t"), text.size());
    const std::string_view name = text.substr(0, name_end);
    text.remove_prefix(name_end);
    SkipSpaces(text);
    std::string value;
    if (!text.empty() && text.front() == '=') {
      text.remove_prefix(1);
      SkipSpaces(text);
      value = TakeValue(text);
    }
    if (EqualsLower(name, "rel")) {
      if (!parameters.rel) parameters.rel = std::move(value);
    } else if (EqualsLower(name, "type")) {
      if (!parameters.type) parameters.type = std::move(value);
    } else if (EqualsLower(name, "anchor")) {
      parameters.anchored = true;
    }
  }
  return parameters;
}

}  // namespace

void AddLinkHeader(std::string_view value, const LinkRelations& relations, LinkSink& sink) {
  while (true) {
    while (!value.empty() && (IsSpace(value.front()) || value.front() == ',')) {
      value.remove_prefix(1);
    }
    const size_t end = value.find('>');
    if (value.empty() || value.front() != '<' || end == std::string_view::npos) return;
    const std::string target = url::EncodedUnlessUtf8(value.substr(1, end - 1));
    value.remove_prefix(end + 1);
    const Parameters parameters = TakeParameters(value);
    const std::string_view rel = parameters.rel ? *parameters.rel : std::string_view();
    if (parameters.anchored || !relations.LeadToPage(rel, parameters.type)) continue;
    if (relations.HasNofollow(rel)) {
      sink.AddNofollow(target);
    } else if (HasCanonical(rel)) {
      sink.AddCanonical(target);
    } else {
      sink.Add(target);
    }
  }
}

void AddRefreshHeader(std::string_view value, LinkSink& sink) {
  if (const auto url = RefreshUrl(value)) sink.Add(url::EncodedUnlessUtf8(*url));
}

}  // namespace opic::links

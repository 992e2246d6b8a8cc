#include "links/content_type.h"

#include <array>

#include "links/ascii.h"

namespace opic::links {
namespace {

// The value of one "name=value" parameter: quoted-string with backslash escapes, or a token.
std::string ParameterValue(std::string_view raw) {
  if (raw.empty() || raw.front() != '"') return std::string(raw);
  std::string value;
  for (size_t i = 1; i < raw.size() && raw[i] != '"'; ++i) {
    if (raw[i] == '\\' && i + 1 < raw.size()) ++i;
    value += raw[i];
  }
  return value;
}

// MIME Sniffing section 7.1: a tag counts only when a space or ">" ends its name.
bool BeginsAsHtml(std::string_view text) {
  static constexpr std::array<std::string_view, 17> kOpenings = {"<!doctype html",
                                                                 "<html",
                                                                 "<head",
                                                                 "<script",
                                                                 "<iframe",
                                                                 "<h1",
                                                                 "<div",
                                                                 "<font",
                                                                 "<table",
                                                                 "<a",
                                                                 "<style",
                                                                 "<title",
                                                                 "<b",
                                                                 "<body",
                                                                 "<br",
                                                                 "<p",
                                                                 "<!--"};
  for (std::string_view opening : kOpenings) {
    if (!StartsWithLower(text, opening)) continue;
    if (opening == "<!--") return true;
    if (text.size() > opening.size() &&
        (IsSpace(text[opening.size()]) || text[opening.size()] == '>'))
      return true;
  }
  return false;
}

Kind Sniff(std::string_view body) {
  if (body.substr(0, 3) == "\xEF\xBB\xBF") body.remove_prefix(3);
  while (!body.empty() && IsSpace(body.front())) body.remove_prefix(1);
  if (BeginsAsHtml(body)) return Kind::kHtml;
  if (body.substr(0, 5) == "<?xml") return Kind::kXml;
  return Kind::kOther;
}

bool EndsWith(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

}  // namespace

ContentType ParseContentType(std::string_view header) {
  ContentType type;
  const size_t end = header.find(';');
  // Two headers joined by ", " (a common server fault): the first one is taken.
  type.essence = LowerCopy(Trim(header.substr(0, std::min(end, header.find(',')))));
  if (end == std::string_view::npos) return type;
  ForEachPiece(header.substr(end + 1), ';', [&type](std::string_view parameter) {
    const size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !type.charset.empty()) return;
    if (!EqualsLower(Trim(parameter.substr(0, equals)), "charset")) return;
    type.charset = ParameterValue(Trim(parameter.substr(equals + 1)));
  });
  return type;
}

bool IsUnknown(const ContentType& type) {
  const std::string_view essence = type.essence;
  return essence.find('/') == std::string_view::npos || essence == "unknown/unknown" ||
         essence == "application/unknown" || essence == "*/*";
}

Kind DocumentKind(const ContentType& type, std::string_view body) {
  const std::string_view essence = type.essence;
  if (essence == "text/html") return Kind::kHtml;
  if (essence == "application/xhtml+xml") return Kind::kXhtml;
  if (essence == "text/xml" || essence == "application/xml" || EndsWith(essence, "+xml"))
    return Kind::kXml;
  if (essence == "text/xsl" || essence == "application/xml-dtd") return Kind::kXml;
  if (essence == "text/plain") return Kind::kText;
  return IsUnknown(type) ? Sniff(body) : Kind::kOther;
}

}  // namespace opic::links

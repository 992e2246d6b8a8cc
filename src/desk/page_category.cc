#include "desk/page_category.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "links/content_type.h"

namespace opic::desk {
namespace {

using links::Kind;
using refresh::Category;

constexpr std::pair<std::string_view, Category> kTypes[] = {
    {"application/pdf", Category::kPdf},
    {"application/xml-dtd", Category::kSchema},
    {"application/relax-ng-compact-syntax", Category::kSchema},
    {"application/rss+xml", Category::kFeed},
    {"application/atom+xml", Category::kFeed},
    {"application/feed+json", Category::kFeed},
};

constexpr std::pair<std::string_view, Category> kEndings[] = {
    {"html", Category::kHtml},  {"htm", Category::kHtml},   {"xhtml", Category::kHtml},
    {"xml", Category::kXml},    {"rss", Category::kFeed},   {"atom", Category::kFeed},
    {"dtd", Category::kSchema}, {"xsd", Category::kSchema}, {"rng", Category::kSchema},
    {"rnc", Category::kSchema}, {"pdf", Category::kPdf},
};

template <size_t N>
Category Found(const std::pair<std::string_view, Category> (&table)[N], std::string_view name) {
  const auto* const found = std::find_if(std::begin(table), std::end(table),
                                         [&](const auto& one) { return one.first == name; });
  return found == std::end(table) ? Category::kOther : found->second;
}

Category ByEnding(const url::Url& page) {
  const std::string_view path = page.path();
  const size_t dot = path.find_last_of("./");
  if (dot == std::string_view::npos || path[dot] == '/') return Category::kOther;
  std::string ending(path.substr(dot + 1));
  absl::AsciiStrToLower(&ending);
  return Found(kEndings, ending);
}

}  // namespace

Category CategoryOf(const url::Url& page, Kind kind, std::string_view content_type) {
  if (kind == Kind::kHtml || kind == Kind::kXhtml) return Category::kHtml;
  if (kind == Kind::kFeed) return Category::kFeed;
  const std::string type = links::ParseContentType(content_type).essence;
  const Category by_type = Found(kTypes, type);
  if (by_type != Category::kOther) return by_type;
  if (kind != Kind::kText && kind != Kind::kOther)
    return ByEnding(page) == Category::kSchema ? Category::kSchema : Category::kXml;
  const bool says_nothing =
      type.empty() || type == "text/plain" || type == "application/octet-stream";
  return says_nothing ? ByEnding(page) : Category::kOther;
}

}  // namespace opic::desk

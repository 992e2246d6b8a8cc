#include "links/link_relations.h"

#include <algorithm>

#include "links/ascii.h"

namespace opic::links {
namespace {

// Of the HTML Standard (section 4.6.7), AMP and sitemaps; the third row is of HTML 4, for a
// document in parts.
constexpr std::string_view kPages[] = {
    "next",     "prev",       "canonical", "help",           "license",
    "author",   "previous",   "amphtml",   "privacy-policy", "terms-of-service",
    "sitemap",  "start",      "first",     "last",           "up",
    "home",     "contents",   "toc",       "index",          "chapter",
    "section",  "subsection", "appendix",  "glossary",       "copyright",
    "bookmark", "about",      "archives",
};

// Without one of them an alternate is a picture, a program's answer, a document we do not read.
constexpr std::string_view kAlternateTypes[] = {
    "text/html",           "application/xhtml+xml", "application/rss+xml", "application/atom+xml",
    "application/rdf+xml", "application/feed+json", "application/xml",     "text/xml",
};

template <size_t size>
bool IsOneOf(std::string_view word, const std::string_view (&words)[size]) {
  return std::any_of(std::begin(words), std::end(words),
                     [word](std::string_view one) { return EqualsLower(word, one); });
}

bool HasWord(std::string_view rel, std::string_view wanted) {
  bool found = false;
  ForEachWord(rel, [&](std::string_view word) { found |= EqualsNoCase(word, wanted); });
  return found;
}

}  // namespace

bool LinkRelations::LeadToPage(std::string_view rel, std::optional<std::string_view> type) const {
  bool page = false, alternate = false, resource = false;
  ForEachWord(rel, [&](std::string_view word) {
    page |= IsOneOf(word, kPages) ||
            std::any_of(more_.begin(), more_.end(),
                        [word](std::string_view more) { return EqualsNoCase(word, more); });
    alternate |= EqualsLower(word, "alternate");
    resource |= EqualsLower(word, "stylesheet") || EqualsLower(word, "icon");
  });
  if (page) return true;
  if (!alternate || resource) return false;
  const std::string_view essence = Trim(type.value_or("").substr(0, type.value_or("").find(';')));
  return essence.empty() || IsOneOf(essence, kAlternateTypes);
}

bool LinkRelations::HasNofollow(std::string_view rel) const {
  return HasWord(rel, "nofollow") ||
         std::any_of(not_followed_.begin(), not_followed_.end(),
                     [rel](std::string_view one) { return HasWord(rel, one); });
}

bool HasCanonical(std::string_view rel) { return HasWord(rel, "canonical"); }

}  // namespace opic::links

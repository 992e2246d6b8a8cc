#include "links/xml_names.h"

#include <algorithm>

namespace opic::links {
namespace {

struct Namespace {
  std::string_view uri;
  Vocabulary vocabulary;
};
constexpr Namespace kNamespaces[] = {
    {"", Vocabulary::kNone},
    {"http://www.w3.org/1999/xhtml", Vocabulary::kXhtml},
    {"http://www.w3.org/2005/Atom", Vocabulary::kAtom},
    {"http://purl.org/atom/ns#", Vocabulary::kAtom},  // Atom 0.3
    {"http://purl.org/rss/1.0/", Vocabulary::kRss},
    {"http://my.netscape.com/rdf/simple/0.9/", Vocabulary::kRss},  // RSS 0.90
    {"http://backend.userland.com/rss2", Vocabulary::kRss},
    {"http://www.w3.org/1999/02/22-rdf-syntax-ns#", Vocabulary::kRdf},
    {"http://www.w3.org/2000/svg", Vocabulary::kSvg},
    {"http://www.w3.org/1999/xlink", Vocabulary::kXlink},
};

Vocabulary VocabularyOfUri(std::string_view uri) {
  for (const Namespace& known : kNamespaces) {
    if (known.uri == uri) return known.vocabulary;
  }
  // Sitemaps name sitemaps.org with http or https, or google.com in several versions.
  const bool sitemap = uri.find("/schemas/sitemap/") != std::string_view::npos;
  return sitemap ? Vocabulary::kSitemap : Vocabulary::kOther;
}

// "a:b" -> "a" and "b"; "b" -> "" and "b".
struct Split {
  explicit Split(std::string_view name) : local(name) {
    const size_t colon = name.find(':');
    if (colon == std::string_view::npos) return;
    prefix = name.substr(0, colon);
    local = name.substr(colon + 1);
  }
  std::string_view prefix;
  std::string_view local;
};

}  // namespace

void XmlNames::Open(const XmlAttributes& attributes) {
  ++depth_;
  for (size_t i = 0; i < attributes.size(); ++i) {
    const Split name(attributes.name(i));
    if (name.prefix == "xmlns") {
      Declare(name.local, VocabularyOfUri(attributes.value(i)));
    } else if (name.prefix.empty() && name.local == "xmlns") {
      SetDefault(VocabularyOfUri(attributes.value(i)));
    }
  }
}

void XmlNames::Close() {
  while (bindings_.back().depth == depth_) bindings_.pop_back();
  --depth_;
}

void XmlNames::Declare(std::string_view prefix, Vocabulary vocabulary) {
  if (bindings_.size() >= kPrefixesMax || prefix.size() > kPrefixBytesMax) return;
  bindings_.push_back({std::string(prefix), vocabulary, depth_});
}

Vocabulary XmlNames::VocabularyOf(std::string_view prefix) const {
  const auto binding =
      std::find_if(bindings_.rbegin(), bindings_.rend(),
                   [prefix](const Binding& candidate) { return candidate.prefix == prefix; });
  return binding == bindings_.rend() ? Vocabulary::kOther : binding->vocabulary;
}

XmlName XmlNames::Element(std::string_view name) const {
  const Split split(name);
  return {VocabularyOf(split.prefix), split.local};
}

XmlName XmlNames::Attribute(std::string_view name) const {
  const Split split(name);
  if (split.prefix.empty()) return {Vocabulary::kNone, split.local};
  return {VocabularyOf(split.prefix), split.local};
}

}  // namespace opic::links

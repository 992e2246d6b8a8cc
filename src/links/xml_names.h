// Namespaces in XML 1.0 (https://www.w3.org/TR/xml-names/), as far as they matter for links: which
// vocabulary a prefix stands for where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "links/xml_parser.h"

namespace opic::links {

enum class Vocabulary : uint8_t {
  kNone,
  kXhtml,
  kAtom,
  kRss,
  kRdf,
  kSitemap,
  kSvg,
  kXlink,
  kOther
};

struct XmlName {
  Vocabulary vocabulary = Vocabulary::kNone;
  std::string_view local;
};

// The prefixes in scope. More lenient than the standard: a prefix that is not declared is kOther,
// but "xlink" has its meaning everywhere. Bounded: prefixes beyond kPrefixesMax, or longer than
// kPrefixBytesMax, are not remembered.
//
// Thread safety: confined to the owner thread.
class XmlNames {
 public:
  static constexpr size_t kPrefixesMax = 64;
  static constexpr size_t kPrefixBytesMax = 64;

  // Enters an element and takes in its xmlns attributes; Close leaves it.
  void Open(const XmlAttributes& attributes);
  void Close();
  size_t depth() const { return depth_; }  // of elements that are open

  // Gives elements without prefix a meaning until the current element closes.
  void SetDefault(Vocabulary vocabulary) { Declare("", vocabulary); }

  XmlName Element(std::string_view name) const;
  // As Element, but a name without prefix belongs to no vocabulary.
  XmlName Attribute(std::string_view name) const;

 private:
  struct Binding {
    std::string prefix;  // empty: names without one
    Vocabulary vocabulary;
    size_t depth;
  };
  void Declare(std::string_view prefix, Vocabulary vocabulary);
  Vocabulary VocabularyOf(std::string_view prefix) const;

  size_t depth_ = 0;
  std::vector<Binding> bindings_ = {{"", Vocabulary::kNone, 0}, {"xlink", Vocabulary::kXlink, 0}};
};

}  // namespace opic::links

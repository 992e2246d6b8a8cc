// The tags of an HTML text, by the tokenizer of the HTML Standard, section 13.2.5, without building
// a tree.
//
//   HtmlTokens tokens(text);
//   while (tokens.Next()) {
//     if (!tokens.is_end_tag() && tokens.tag() == Tag::kA) Use(tokens.RawAttribute("href"));
//     if (!tokens.is_end_tag() && Is(tokens.tag(), kRawText)) tokens.SkipRawText();
//   }
//
// Text, comments, declarations and processing instructions are passed over. What a tag does to the
// tokenizer in the standard depends on the tree, so the caller says it: SkipRawText() and
// set_cdata_allowed(). Total: any bytes; linear in them; memory for at most kAttributesMax
// attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "links/ascii.h"
#include "links/html_tag.h"
#include "links/plain_tags.h"

namespace opic::links {

struct Attribute {
  std::string_view name;  // as written
  std::string_view raw;   // the value as written, without quotes; character references not decoded
};

// Of which tags the attributes are kept, and counted; of the others they are only passed over,
// which is faster. kMeaning: of start tags with that trait.
enum class Attributes : uint8_t { kAll, kMeaning, kNone };

// Thread safety: confined to the owner thread.
class HtmlTokens {
 public:
  static constexpr size_t kAttributesMax = 256;  // of one tag; further ones are only counted

  // `text` (UTF-8, or what extends ASCII) must outlive the tokens and the views they return. The
  // first one is looked for at `from`, which is in no tag, comment or raw text.
  explicit HtmlTokens(std::string_view text, Attributes kept = Attributes::kAll, size_t from = 0)
      : text_(text), kept_(kept), at_(from) {}

  // Moves to the next tag. False: there is none; a tag that the text ends in is none, but its
  // attributes are counted.
  bool Next();
  // Likewise, past the plain() tags that are passed over faster than by moving to each: calls
  // visit(begin, end, is_end_tag) for them, as PassPlainTags. The next one may be plain, too.
  // REQUIRES: not with kAll.
  template <typename Visit>
  bool NextPastPlainTags(Visit visit) {
    at_ = PassPlainTags(text_, at_, visit);
    return IsLetter(At(at_ + 1)) ? ReadTag() : Next();
  }

  // After a start tag: its content is text up to the matching end tag, which is the next token.
  // Returns that content.
  std::string_view SkipRawText();
  // Whether "<![CDATA[" begins a CDATA section (in SVG and MathML) or a comment (elsewhere).
  void set_cdata_allowed(bool allowed) { cdata_allowed_ = allowed; }
  // Whether "<![CDATA[" was met, whatever it began.
  bool saw_cdata() const { return saw_cdata_; }

  // The current tag.
  bool is_end_tag() const { return is_end_tag_; }
  bool self_closing() const { return self_closing_; }
  // Not with kAll: an end tag, or one of which three letters tell that it is more than a place in
  // the text nowhere but in SVG and MathML (MayMatter). Its name is read when it is asked for.
  bool plain() const { return plain_; }
  void KeepName() {  // for who asks for it several times
    if (!name_read_) ReadName();
  }
  Tag tag() const { return name_read_ ? tag_ : TagOfName(name()); }
  std::string_view name() const;                                            // as written
  size_t begin() const { return begin_; }                                   // offset of its "<"
  size_t end() const { return at_; }                                        // offset after its ">"
  const std::vector<Attribute>& attributes() const { return attributes_; }  // repeats included
  size_t attribute_count() const { return attribute_count_; }               // also those not kept
  // The first attribute of that name, in lower case; of repeated ones the first counts.
  std::optional<std::string_view> RawAttribute(std::string_view lower_name) const;

 private:
  bool ReadTag();  // at_ is at the "<" of "<a" or "</a"
  size_t NameEnd() const;
  void ReadName();
  void ReadAttributes();  // from the end of the name on
  void ReadWholeTag();    // to the ">" or the end of the text
  void ReadTagOnly();     // the same, without the attributes that nobody asks for
  bool SkipAttributes(size_t found);
  bool ReadAttribute();
  std::string_view ReadAttributeValue();
  void SkipMarkup();  // at_ is at the "<" of "<!", "<?" or "</"
  void SkipPast(std::string_view end);
  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  char At(size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  const std::string_view text_;
  const Attributes kept_;
  size_t at_;
  size_t begin_ = 0, name_begin_ = 0;
  size_t attribute_count_ = 0;
  std::string_view name_;
  std::vector<Attribute> attributes_;
  Tag tag_ = Tag::kOther;
  bool is_end_tag_ = false;
  bool plain_ = false, name_read_ = false;
  bool self_closing_ = false;
  bool cdata_allowed_ = false;
  bool saw_cdata_ = false;
};

}  // namespace opic::links

#include "links/html_guard.h"

#include "links/ascii.h"
#include "links/open_elements.h"

namespace opic::links {
namespace {

// Work of things that happen once a tag, in steps of OpenElements::formatting_work().
constexpr uint64_t kAdoptionRounds = 8;   // the adoption agency's outer loop
constexpr uint64_t kChildrenPerStep = 8;  // children compared while searching one
constexpr uint64_t kPairsPerStep = 2;     // attribute names compared

class HtmlGuard {
 public:
  HtmlGuard(std::string_view text, const GuardLimits& limits)
      : text_(text),
        limits_(limits),
        tokens_(text),
        work_max_(limits.work_free + limits.work_per_byte_max * text.size()) {}

  GuardVerdict Run() {
    if (text_.size() > limits_.bytes_max) return GuardVerdict::kTooLarge;
    while (tokens_.Next()) {
      ++tags_;
      ChargeAttributes();
      ChargeFostering();
      if (!tokens_.is_end_tag()) {
        VisitStartTag();
      } else {
        VisitEndTag();
      }
      if (ambiguous_) return GuardVerdict::kAmbiguous;
      if (open_.depth() > limits_.depth_max) return GuardVerdict::kTooDeep;
      if (work_ > work_max_) return GuardVerdict::kTooCostly;
      tag_end_ = tokens_.end();
    }
    ChargeAttributes();  // of a tag that the text ends in: read like the others, then dropped
    if (work_ > work_max_) return GuardVerdict::kTooCostly;
    return tokens_.saw_cdata() && foreign_seen_ ? GuardVerdict::kAmbiguous : GuardVerdict::kSafe;
  }

 private:
  void VisitStartTag() {
    work_ += open_.depth() + open_.formatting_work();
    if (tokens_.tag() == Tag::kHtml || tokens_.tag() == Tag::kBody) ChargeMerging();
    const bool misreadable = open_.may_misread_raw_text();
    open_.Start(tokens_);
    foreign_seen_ |= open_.in_foreign();
    if (Is(tokens_.tag(), kRawText)) SkipRawText(misreadable);
  }

  void SkipRawText(bool misreadable) {
    const std::string_view content = tokens_.SkipRawText();
    ambiguous_ |= misreadable && content.find('<') != std::string_view::npos;
  }

  void VisitEndTag() {
    const bool closed = open_.End(tokens_);
    work_ += open_.depth() + open_.formatting_work();
    if (!closed && Is(tokens_.tag(), kFormatting)) work_ += kAdoptionRounds * open_.depth();
  }

  // Content between a table's rows is put before the table, which is searched among its siblings.
  void ChargeFostering() {
    if (!open_.may_foster()) return;
    const std::string_view text = text_.substr(tag_end_, tokens_.begin() - tag_end_);
    const bool fostered = !Is(tokens_.tag(), kTablePart) || !Trim(text).empty();
    if (fostered) work_ += tags_ / kChildrenPerStep;
  }

  void ChargeAttributes() {
    const uint64_t attributes = tokens_.attribute_count();
    work_ += attributes * attributes / kPairsPerStep;
  }

  // A second <html> or <body> adds its attributes to the first one's, each compared with all.
  void ChargeMerging() {
    const uint64_t attributes = tokens_.attribute_count();
    merged_attributes_ += attributes;
    work_ += attributes * merged_attributes_ / kPairsPerStep;
  }

  const std::string_view text_;
  const GuardLimits limits_;
  HtmlTokens tokens_;
  OpenElements open_;
  const uint64_t work_max_;
  uint64_t work_ = 0;
  uint64_t tags_ = 0;
  uint64_t merged_attributes_ = 0;
  size_t tag_end_ = 0;  // of the tag before
  bool ambiguous_ = false;
  bool foreign_seen_ = false;
};

}  // namespace

GuardVerdict CheckForGumbo(std::string_view text, const GuardLimits& limits) {
  return HtmlGuard(text, limits).Run();
}

}  // namespace opic::links

#include "desk/accept_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "links/content_type.h"

namespace opic::desk {
namespace {

constexpr char kAnyXml[] = "*/*+xml";
constexpr char kAny[] = "*/*";

struct Word {
  const char* name;
  std::vector<std::string> ranges;
};

const std::vector<Word>& Words() {
  static const auto& words = *new std::vector<Word>{
      {"html", {"text/html", "application/xhtml+xml"}},
      {"xml", {"application/xml", "text/xml", "text/xsl", "application/xml-dtd", kAnyXml}},
      {"feed",
       {"application/rss+xml", "application/atom+xml", "application/rdf+xml",
        "application/feed+json"}},
      {"text", {"text/plain"}},
      {"pdf", {"application/pdf"}},
      {"any", {kAny}},
  };
  return words;
}

bool IsToken(absl::string_view text) {  // RFC 9110 section 5.6.2
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// "type/subtype", "type/*" or "*/*".
bool IsRange(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  if (parts.size() != 2 || !IsToken(parts[0]) || !IsToken(parts[1])) return false;
  const bool any_type = absl::StrContains(parts[0], '*');
  const bool any_subtype = absl::StrContains(parts[1], '*');
  return (!any_type || text == kAny) && (!any_subtype || parts[1] == "*");
}

// The ranges that one part of a list stands for; empty: it is none.
std::vector<std::string> RangesOf(const std::string& part) {
  for (const Word& word : Words()) {
    if (part == word.name) return word.ranges;
  }
  return IsRange(part) ? std::vector<std::string>{part} : std::vector<std::string>();
}

bool Matches(const std::string& range, absl::string_view essence) {
  if (range == kAny) return true;
  if (range == kAnyXml) return absl::EndsWith(essence, "+xml");
  if (absl::EndsWith(range, "/*"))
    return absl::StartsWith(essence, absl::string_view(range).substr(0, range.size() - 1));
  return essence == range;
}

}  // namespace

AcceptList::AcceptList() {
  absl::StatusOr<AcceptList> list = Parse(kAcceptDefault);
  OPIC_CHECK(list.ok()) << list.status();
  *this = *std::move(list);
}

absl::StatusOr<AcceptList> AcceptList::Parse(std::string_view list) {
  std::vector<std::string> ranges;
  for (const absl::string_view piece :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    const std::string part = absl::AsciiStrToLower(absl::StripAsciiWhitespace(piece));
    const std::vector<std::string> of_part = RangesOf(part);
    if (of_part.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", part,
                       "\" is none of html, xml, feed, text, pdf, any, and no media type "
                       "such as application/pdf or image/*"));
    }
    for (const std::string& range : of_part) {
      if (std::find(ranges.begin(), ranges.end(), range) == ranges.end()) ranges.push_back(range);
    }
  }
  return AcceptList(std::move(ranges));
}

bool AcceptList::Wants(std::string_view content_type) const {
  const links::ContentType type = links::ParseContentType(content_type);
  return links::IsUnknown(type) || Holds(type.essence);
}

bool AcceptList::Holds(std::string_view essence) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [essence](const std::string& range) {
    return Matches(range, {essence.data(), essence.size()});
  });
}

std::string AcceptList::Header() const {
  std::vector<std::string> parts;
  bool any = false;
  for (const std::string& range : ranges_) {
    if (range == kAnyXml) continue;  // has no form there
    any |= range == kAny;
    const bool is_html = range == "text/html" || range == "application/xhtml+xml";
    parts.push_back(is_html || ranges_.size() == 1 ? range : absl::StrCat(range, ";q=0.8"));
  }
  if (!any) parts.push_back("*/*;q=0.1");
  return absl::StrJoin(parts, ",");
}

}  // namespace opic::desk

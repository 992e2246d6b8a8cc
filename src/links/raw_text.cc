#include "links/raw_text.h"

#include <algorithm>

#include "links/ascii.h"

namespace opic::links {
namespace {

// Whether `text` goes on with `name` and a character that ends a tag's name.
bool HasName(std::string_view text, std::string_view name) {
  if (text.size() <= name.size() || !EqualsNoCase(text.substr(0, name.size()), name)) return false;
  const char after = text[name.size()];
  return IsSpace(after) || after == '/' || after == '>';
}

bool IsEndTag(std::string_view text, std::string_view name) {
  return text.substr(0, 2) == "</" && HasName(text.substr(2), name);
}

// The states of script data: a script that was written inside "<!-- -->" for old browsers may
// itself write "<script>...</script>", whose end tag does not end it.
enum class ScriptState { kData, kEscaped, kDoubleEscaped };

size_t ScriptEnd(std::string_view text, size_t at) {
  ScriptState state = ScriptState::kData;
  while (true) {
    at = state == ScriptState::kData ? text.find('<', at) : text.find_first_of("<-", at);
    if (at == std::string_view::npos) return text.size();
    const std::string_view rest = text.substr(at);
    size_t step = 1;
    if (rest.front() == '-') {
      if (rest.substr(0, 3) == "-->") state = ScriptState::kData;
    } else if (IsEndTag(rest, "script")) {
      if (state != ScriptState::kDoubleEscaped) return at;
      state = ScriptState::kEscaped;
    } else if (state == ScriptState::kData && rest.substr(0, 4) == "<!--") {
      state = ScriptState::kEscaped;
      step = 2;  // its dashes may be those of "-->" too
    } else if (state == ScriptState::kEscaped && HasName(rest.substr(1), "script")) {
      state = ScriptState::kDoubleEscaped;
    }
    at += step;
  }
}

}  // namespace

size_t RawTextEnd(std::string_view text, size_t begin, std::string_view name) {
  if (EqualsLower(name, "plaintext")) return text.size();
  if (EqualsLower(name, "script")) return ScriptEnd(text, begin);
  for (size_t at = text.find('<', begin); at != std::string_view::npos;
       at = text.find('<', at + 1)) {
    if (IsEndTag(text.substr(at), name)) return at;
  }
  return text.size();
}

size_t CommentEnd(std::string_view text, size_t begin) {
  for (size_t close = text.find('>', begin); close != std::string_view::npos;
       close = text.find('>', close + 1)) {
    const std::string_view content = text.substr(begin, close - begin);
    const bool at_once = content.empty() || content == "-";
    if (at_once || content.ends_with("--") || content.ends_with("--!")) return close + 1;
  }
  return text.size();
}

}  // namespace opic::links

#include "links/url_list.h"

#include <algorithm>

#include "links/ascii.h"

namespace opic::links {
namespace {

bool IsUrlLine(std::string_view line) {
  return (StartsWithLower(line, "http://") || StartsWithLower(line, "https://")) &&
         std::none_of(line.begin(), line.end(), IsSpace);
}

// The next line of `text` that is not blank, trimmed; empty: there is none.
std::string_view TakeLine(std::string_view& text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty()) return line;
  }
  return {};
}

}  // namespace

bool IsUrlList(std::string_view text) {
  bool any = false;
  for (std::string_view line = TakeLine(text); !line.empty(); line = TakeLine(text)) {
    if (!IsUrlLine(line)) return false;
    any = true;
  }
  return any;
}

void AddUrlList(std::string_view text, LinkSink& sink) {
  for (std::string_view line = TakeLine(text); !line.empty() && !sink.full(); line = TakeLine(text))
    sink.Add(line);
}

}  // namespace opic::links

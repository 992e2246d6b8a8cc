#include "links/json_feed.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "links/ascii.h"

namespace opic::links {
namespace {

constexpr size_t kDepthMax = 64;
constexpr std::string_view kVersion = "https://jsonfeed.org/version/";

void AppendUtf8(uint32_t code, std::string& out) {
  const auto byte = [&out](uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

// The four digits from `at` on; nothing: they are not there.
std::optional<uint32_t> Hex4(std::string_view text, size_t at) {
  if (text.size() < at + 4) return std::nullopt;
  uint32_t value = 0;
  for (const char c : text.substr(at, 4)) {
    const char lower = Lower(c);
    if (!IsDigit(c) && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value << 4 | static_cast<uint32_t>(IsDigit(c) ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

// What a string says between its quotes (RFC 8259 section 7). Half a surrogate pair becomes U+FFFD.
std::string Unescaped(std::string_view raw) {
  std::string out;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || ++i == raw.size()) {
      if (i < raw.size()) out += raw[i];
      continue;
    }
    const auto code = raw[i] == 'u' ? Hex4(raw, i + 1) : std::nullopt;
    if (!code) {
      constexpr std::string_view kNames = "bfnrt", kMeant = "\b\f\n\r\t";
      const size_t name = kNames.find(raw[i]);
      out += name == std::string_view::npos ? raw[i] : kMeant[name];
      continue;
    }
    i += 4;
    const bool high = *code >= 0xD800 && *code < 0xDC00;
    const auto low =
        high && raw.substr(i + 1, 2) == "\\u" ? Hex4(raw, i + 3) : std::optional<uint32_t>();
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      AppendUtf8(0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00), out);
      i += 6;
    } else {
      AppendUtf8(*code >= 0xD800 && *code < 0xE000 ? 0xFFFD : *code, out);
    }
  }
  return out;
}

// The strings of a JSON text that are values of objects.
class JsonStrings {
 public:
  // The keys on the way to a value, the outermost first; empty ones are those of arrays.
  using Path = std::vector<std::string_view>;

  explicit JsonStrings(std::string_view text) : text_(text) {}

  // False: there are no more. `raw` is as written, between the quotes.
  bool Next(std::string_view& raw) {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '{' || c == '[') {
        if (path_.size() == kDepthMax) return false;
        path_.emplace_back();
        is_object_.push_back(c == '{');
      } else if (c == '}' || c == ']') {
        if (path_.empty()) return false;
        path_.pop_back();
        is_object_.pop_back();
      } else if (c == '"') {
        raw = TakeString();
        if (path_.empty() || !is_object_.back()) continue;
        if (!TakeColon()) return true;
        path_.back() = raw;
      }
    }
    return false;
  }
  const Path& path() const { return path_; }

 private:
  std::string_view TakeString() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view raw = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return raw;
  }
  bool TakeColon() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    if (at_ == text_.size() || text_[at_] != ':') return false;
    ++at_;
    return true;
  }

  const std::string_view text_;
  size_t at_ = 0;
  Path path_;
  std::vector<bool> is_object_;  // as long as the path
};

bool IsLink(const JsonStrings::Path& path) {
  const std::string_view key = path.back();
  if (path.size() == 1) return key == "home_page_url" || key == "next_url" || key == "feed_url";
  if (key != "url" && key != "external_url") return false;
  return std::none_of(path.begin(), path.end(), [](std::string_view name) {
    return name == "hubs" || name.starts_with("_");
  });
}

}  // namespace

bool IsJsonFeed(std::string_view text) {
  if (Trim(text.substr(0, 64)).substr(0, 1) != "{") return false;
  JsonStrings strings(text);
  for (std::string_view raw; strings.Next(raw);) {
    if (strings.path().size() == 1 && strings.path().back() == "version")
      return Unescaped(raw.substr(0, 100)).starts_with(kVersion);
  }
  return false;
}

void AddJsonFeedLinks(std::string_view text, LinkSink& sink) {
  JsonStrings strings(text);
  for (std::string_view raw; !sink.full() && strings.Next(raw);) {
    if (IsLink(strings.path())) sink.Add(Unescaped(raw));
  }
}

}  // namespace opic::links

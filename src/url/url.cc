#include "url/url.h"

#include <algorithm>

#include "base/utf8.h"
#include "url/character_class.h"
#include "url/host.h"
#include "url/percent_encoding.h"

namespace opic::url {
namespace {

enum class Scheme { kAbsent, kHttp, kHttps, kOther };

std::string_view TextOf(Scheme scheme) { return scheme == Scheme::kHttps ? "https" : "http"; }
uint16_t DefaultPort(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(),
                                                   [](char a, char b) { return Lower(a) == b; });
}

// "scheme start state" and "scheme state": takes "name:" from `input` when it begins with one.
Scheme TakeScheme(std::string_view& input) {
  const size_t size = RunOf(kSchemePart, input);
  if (size == 0 || size == input.size() || input[size] != ':') return Scheme::kAbsent;
  const char first = Lower(input[0]);
  if (first < 'a' || first > 'z') return Scheme::kAbsent;
  const std::string_view name = input.substr(0, size);
  input.remove_prefix(size + 1);
  if (EqualsIgnoringCase(name, "http")) return Scheme::kHttp;
  return EqualsIgnoringCase(name, "https") ? Scheme::kHttps : Scheme::kOther;
}

std::string_view WithoutOuterControls(std::string_view input) {
  const auto is_outer = [](char c) { return static_cast<uint8_t>(c) <= 0x20; };
  while (!input.empty() && is_outer(input.front())) input.remove_prefix(1);
  while (!input.empty() && is_outer(input.back())) input.remove_suffix(1);
  return input;
}

bool HasTabOrNewline(std::string_view input) {
  return std::any_of(input.begin(), input.end(), [](char c) { return Is(kTabOrNewline, c); });
}

// Bad UTF-8 is replaced here already, so that the bytes around a tab do not grow together.
std::string WithoutTabsAndNewlines(std::string_view input) {
  std::string kept;
  while (!input.empty()) {
    const base::Utf8Sequence sequence = base::FirstUtf8Sequence(input);
    if (!Is(kTabOrNewline, input[0])) {
      kept.append(sequence.valid ? input.substr(0, sequence.size) : base::kReplacement);
    }
    input.remove_prefix(sequence.size);
  }
  return kept;
}

// Takes one "." from `segment`, spelt plainly or as "%2e".
bool TakeDot(std::string_view& segment) {
  if (segment.starts_with('.')) {
    segment.remove_prefix(1);
    return true;
  }
  if (!EqualsIgnoringCase(segment.substr(0, 3), "%2e")) return false;
  segment.remove_prefix(3);
  return true;
}

// 1 for ".", 2 for "..", 0 for every other segment.
int DotsOf(std::string_view segment) {
  if (segment.empty() || (segment[0] != '.' && segment[0] != '%')) return 0;
  int dots = 0;
  while (dots < 3 && TakeDot(segment)) ++dots;
  return segment.empty() && dots < 3 ? dots : 0;
}

// Where the host ends in "host:port": the first colon outside brackets, or the end.
size_t HostSize(std::string_view authority) {
  bool in_brackets = false;
  for (size_t at = 0; at < authority.size(); ++at) {
    if (authority[at] == ':' && !in_brackets) return at;
    if (authority[at] == '[') in_brackets = true;
    if (authority[at] == ']') in_brackets = false;
  }
  return authority.size();
}

Rejected RejectionOf(HostVerdict verdict) {
  switch (verdict) {
    case HostVerdict::kGood:
      return Rejected::kNone;
    case HostVerdict::kEmpty:
      return Rejected::kNoHost;
    case HostVerdict::kBad:
      return Rejected::kBadHost;
    case HostVerdict::kTooLong:
      return Rejected::kTooLong;
  }
  return Rejected::kBadHost;
}

}  // namespace

// One left-to-right pass of the basic URL parser, writing the serialisation as it reads.
// Thread safety: confined to the owner thread.
class Parser {
 public:
  // `input` without outer controls, tabs and newlines.
  Parser(std::string_view input, const Url* base) : rest_(input), base_(base) {}

  Rejected Run();
  Url Take() { return std::move(url_); }

 private:
  Rejected ReadAuthority(Scheme scheme);
  Rejected ReadPort(std::string_view text);
  void CopyBase();
  void ReadPath();
  void ReadQuery();
  bool KeepSegment(size_t segment);
  bool AtSlash() const { return !rest_.empty() && IsSlash(rest_[0]); }
  bool AtPathEnd() const { return rest_.empty() || rest_[0] == '?' || rest_[0] == '#'; }

  std::string_view rest_;  // not read yet
  const Url* base_;
  Url url_;
  // Positions in url_.text_, which may pass 65,535 before a text too long is rejected.
  size_t host_begin_ = 0, host_end_ = 0, path_begin_ = 0, path_end_ = 0;
};

Rejected Parser::Run() {
  const Scheme scheme = TakeScheme(rest_);
  if (scheme == Scheme::kOther) return Rejected::kNotHttp;
  if (scheme == Scheme::kAbsent && base_ == nullptr) return Rejected::kMalformed;
  // "http:foo" is relative to a base of the same scheme ("special relative or authority state").
  const bool relative =
      base_ != nullptr && (scheme == Scheme::kAbsent || TextOf(scheme) == base_->scheme());
  const bool two_slashes = rest_.size() > 1 && IsSlash(rest_[0]) && IsSlash(rest_[1]);
  if (relative && !two_slashes) {
    CopyBase();
  } else {
    const bool https =
        scheme == Scheme::kAbsent ? base_->scheme() == "https" : scheme == Scheme::kHttps;
    const Rejected why = ReadAuthority(https ? Scheme::kHttps : Scheme::kHttp);
    if (why != Rejected::kNone) return why;
  }
  ReadQuery();
  if (url_.text_.size() > kUrlBytesMax) return Rejected::kTooLong;
  url_.host_begin_ = static_cast<uint16_t>(host_begin_);
  url_.host_end_ = static_cast<uint16_t>(host_end_);
  url_.path_begin_ = static_cast<uint16_t>(path_begin_);
  url_.path_end_ = static_cast<uint16_t>(path_end_);
  return Rejected::kNone;
}

// "special authority ignore slashes state" to the end of "path state".
Rejected Parser::ReadAuthority(Scheme scheme) {
  while (AtSlash()) rest_.remove_prefix(1);
  std::string& text = url_.text_;
  text.reserve(rest_.size() + std::string_view("https:///").size());
  text.append(TextOf(scheme));
  url_.scheme_end_ = static_cast<uint16_t>(text.size());
  url_.port_ = DefaultPort(url_.scheme());
  text.append("://");
  host_begin_ = text.size();
  size_t size = 0;
  while (size < rest_.size() && !Is(kAuthorityEnd, rest_[size])) ++size;
  std::string_view authority = rest_.substr(0, size);
  rest_.remove_prefix(size);
  // Up to the last '@': credentials, which a crawler has no use for.
  authority.remove_prefix(authority.rfind('@') + 1);
  const size_t host_size = HostSize(authority);
  Rejected why = RejectionOf(AppendHost(authority.substr(0, host_size), text));
  host_end_ = text.size();
  if (why == Rejected::kNone) why = ReadPort(authority.substr(host_size));
  if (why != Rejected::kNone) return why;
  path_begin_ = text.size();
  if (AtSlash()) rest_.remove_prefix(1);
  text.push_back('/');
  ReadPath();
  return Rejected::kNone;
}

// `text` is empty or begins with a colon. No digits after it mean the default port.
Rejected Parser::ReadPort(std::string_view text) {
  if (text.size() <= 1) return Rejected::kNone;
  uint32_t port = 0;
  for (char c : text.substr(1)) {
    if (!IsDigit(c)) return Rejected::kBadPort;
    port = port * 10 + static_cast<uint32_t>(c - '0');
    if (port > 65535) return Rejected::kBadPort;
  }
  if (port == url_.port_) return Rejected::kNone;
  url_.port_ = static_cast<uint16_t>(port);
  url_.text_.append(":").append(std::to_string(port));
  return Rejected::kNone;
}

// "relative state": what the input does not say comes from the base.
void Parser::CopyBase() {
  std::string& text = url_.text_;
  url_.scheme_end_ = base_->scheme_end_;
  url_.port_ = base_->port_;
  host_begin_ = base_->host_begin_;
  host_end_ = base_->host_end_;
  path_begin_ = base_->path_begin_;
  path_end_ = base_->path_end_;
  text.reserve(base_->path_end_ + rest_.size());
  if (AtPathEnd()) {
    const bool keeps_query = rest_.empty() || rest_[0] == '#';
    text.append(base_->text_, 0, keeps_query ? base_->text_.size() : path_end_);
    return;
  }
  size_t kept = path_begin_ + 1;  // "http://host/"
  if (AtSlash()) {
    rest_.remove_prefix(1);
  } else {
    kept += base_->path().rfind('/');
  }
  text.append(base_->text_, 0, kept);
  ReadPath();
}

// "path state". The text ends with the slash that opens the first segment.
void Parser::ReadPath() {
  std::string& text = url_.text_;
  size_t segment = text.size();
  while (true) {
    const size_t plain = RunOf(kPathPlain, rest_);
    text.append(rest_, 0, plain);
    rest_.remove_prefix(plain);
    if (AtPathEnd()) break;
    if (!AtSlash()) {
      MoveEncoded(rest_, text);
      continue;
    }
    rest_.remove_prefix(1);
    if (KeepSegment(segment)) text.push_back('/');
    segment = text.size();
  }
  KeepSegment(segment);
  path_end_ = text.size();
}

// Ends the segment that begins at `segment`. False: it was "." or "..", and was removed with what
// ".." cancels; the text then ends with a slash.
bool Parser::KeepSegment(size_t segment) {
  std::string& text = url_.text_;
  const int dots = DotsOf(std::string_view(text).substr(segment));
  if (dots == 0) return true;
  text.resize(segment);
  if (dots == 2 && segment > path_begin_ + 1) text.resize(text.rfind('/', segment - 2) + 1);
  return false;
}

// "query state"; the fragment that may follow is dropped.
void Parser::ReadQuery() {
  if (!rest_.starts_with('?')) return;
  std::string& text = url_.text_;
  text.push_back('?');
  rest_ = rest_.substr(1, rest_.find('#') - 1);
  while (!rest_.empty()) {
    const size_t plain = RunOf(kQueryPlain, rest_);
    text.append(rest_, 0, plain);
    rest_.remove_prefix(plain);
    if (!rest_.empty()) MoveEncoded(rest_, text);
  }
}

std::optional<Url> Parse(std::string_view input, const Url* base, Rejected* why) {
  Rejected ignored;
  Rejected& verdict = why != nullptr ? *why : ignored;
  verdict = Rejected::kTooLong;
  if (input.size() > 4 * kUrlBytesMax) return std::nullopt;
  input = WithoutOuterControls(input);
  std::string stripped;
  if (HasTabOrNewline(input)) input = stripped = WithoutTabsAndNewlines(input);
  Parser parser(input, base);
  verdict = parser.Run();
  if (verdict != Rejected::kNone) return std::nullopt;
  return parser.Take();
}

std::string_view Name(Rejected why) {
  switch (why) {
    case Rejected::kNone:
      return "accepted";
    case Rejected::kNotHttp:
      return "not http or https";
    case Rejected::kNoHost:
      return "no host";
    case Rejected::kBadHost:
      return "bad host";
    case Rejected::kBadPort:
      return "bad port";
    case Rejected::kTooLong:
      return "too long";
    case Rejected::kMalformed:
      return "relative without a base";
  }
  return "unknown";
}

std::string_view HostOf(std::string_view text) {
  const size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return {};
  text.remove_prefix(scheme + 3);
  const std::string_view host = text.substr(0, text.find_first_of("/?#"));
  const size_t port = host.rfind(':');
  return port == host.npos || host.ends_with(']') ? host : host.substr(0, port);
}

}  // namespace opic::url

// A normalised absolute http(s) URL (WHATWG URL Standard, https://url.spec.whatwg.org/).
//
//     http://www.example.org:8080/a/b?x=1
//     scheme host            port path query          fragment and credentials are dropped
//
// Parsing follows the standard's basic URL parser for the special schemes http and https: white
// space and control stripping, backslashes, IDNA to ASCII (UTS 46, non-transitional),
// percent-encode sets, dot segments, default ports, IPv6 and odd IPv4 spellings.
// Parse(Parse(x).text()) == Parse(x).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace opic::url {

// Longest text produced. Input may be four times as long, for what parsing drops; longer is
// rejected (kTooLong).
inline constexpr size_t kUrlBytesMax = 2048;

// Why an input is no URL for us. kNotHttp: a scheme other than http and https. kNoHost: nothing
// where the host should be. kBadHost, kBadPort: forbidden characters, not an address, above 65,535.
// kTooLong: see above. kMalformed: relative, without a base.
enum class Rejected { kNone, kNotHttp, kNoHost, kBadHost, kBadPort, kTooLong, kMalformed };
std::string_view Name(Rejected why);

// Thread safety: immutable.
class Url {
 public:
  const std::string& text() const { return text_; }                 // the whole serialisation
  std::string_view scheme() const { return View(0, scheme_end_); }  // "http" or "https"
  // Lower case ASCII; dotted for IPv4, "[::1]" for IPv6.
  std::string_view host() const { return View(host_begin_, host_end_); }
  // "host", or "host:port" where the port is not the scheme's default.
  std::string_view authority() const { return View(host_begin_, path_begin_); }
  // "http://host[:port]": what robots.txt, connections and cookies are tied to.
  std::string_view origin() const { return View(0, path_begin_); }
  std::string_view path() const { return View(path_begin_, path_end_); }  // begins with "/"
  // Path with "?" and query: what is sent in a request and matched by robots.txt rules.
  std::string_view path_and_query() const { return View(path_begin_, text_.size()); }
  uint16_t port() const { return port_; }  // the default filled in
  // Of one that is not looked at any more.
  std::string TakeText() && { return std::move(text_); }

  friend bool operator==(const Url& a, const Url& b) { return a.text_ == b.text_; }

 private:
  friend class Parser;
  std::string_view View(size_t begin, size_t end) const {
    return std::string_view(text_).substr(begin, end - begin);
  }
  std::string text_;
  uint16_t scheme_end_ = 0, host_begin_ = 0, host_end_ = 0, path_begin_ = 0, path_end_ = 0;
  uint16_t port_ = 0;
};

// Parses `input` (UTF-8; bad bytes are replaced as the standard says), relative to `base` when
// given. Nothing: rejected, with the reason in `why` when that is not null.
std::optional<Url> Parse(std::string_view input, const Url* base = nullptr,
                         Rejected* why = nullptr);

// The host of a normalised URL's text, without parsing it: "site.example", "[::1]". Empty for what
// is none.
std::string_view HostOf(std::string_view text);

}  // namespace opic::url

// A request to the fetcher, and the one response in which it ends.
//
// Thread safety: compatible. A response is moved, not copied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "base/byte_budget.h"

namespace opic::fetch {

struct Request {
  uint64_t ticket = 0;  // returned with the response
  std::string url;
  std::string etag;           // If-None-Match, verbatim; empty or with control bytes: not sent
  std::string last_modified;  // If-Modified-Since, likewise
  size_t body_bytes_max = 0;  // 0: the option's
  bool any_type = false;      // Options::accept and Options::wants do not count
  bool cookies = false;       // those of its host are sent, and kept (Options::cookies)
};

// An unwanted body that declares no more than this is read to its end, and dropped, so that its
// connection can be used again. About what a server has sent anyway until it hears of the end: two
// first windows of TCP (RFC 6928); and less time than a new connection and its TLS take.
inline constexpr size_t kDrainBytesMax = 32 << 10;

enum class Error : uint8_t {
  kNone,  // an HTTP response with `status`
  kResolve,
  kConnect,
  kTls,
  kTimeout,
  kTooSlow,
  kNoAnswer,   // closed before a byte came
  kCut,        // closed early
  kReset,      // the connection, or the stream of HTTP/2
  kGarbage,    // not HTTP
  kBadHeader,  // a line with a zero byte, or without a colon, or a wrong Content-Length
  kHeaderTooLarge,
  kBadChunks,  // a chunked body (RFC 9112 section 7.1) that is none
  kBodyTooLarge,
  kBadEncoding,
  kRefusedAddress,
  kAddressBusy,
  kNoDescriptor,  // this process has too many files open: nothing was asked of anybody
  kProxy,         // Options::proxy failed: nothing was asked of the server, nor is told of it
  kNoRoom,        // Options::bodies was full: says nothing of the server
  kWithdrawn,     // Options::may_send said no, or Fetcher::Withdraw: says nothing of the server
  kStopped,
  kOther
};
std::string_view Name(Error error);

struct Response {
  uint64_t ticket = 0;
  Error error = Error::kNone;
  std::string detail;  // for people; empty without error
  bool sent = false;   // a request may have reached the server: politeness counts it
  // It ended because nobody was heard: no name server, no way there, or silence. A machine that has
  // lost its network would say the same of any server. Never so behind a proxy.
  bool unheard = false;
  // It ended for a header line without a colon. Such requests to its origin are sent in another way
  // from now on, which passes over it: this one should be made again. Never so of one made that
  // way.
  bool ask_again = false;
  int status = 0;  // 0 with an error before the status line
  // Header values as received, at most header_bytes_max together. The last line of one wins; those
  // of link are joined by ", ", those of x_robots_tag by "\n".
  std::string content_type, location, etag, last_modified, retry_after, x_robots_tag, link, refresh;
  std::optional<uint64_t> content_length;  // as declared, encoded
  // Options::wants said no: `body` is empty, and no error of the body counts.
  bool unwanted = false;
  bool stopped = false;  // and so the transfer was ended at its header
  // Decoded. What came before the limit when kBodyTooLarge; empty with any other error.
  std::string body;
  // Where cookies were asked for: how many its host has now, and whether this answer changed them.
  uint32_t cookies = 0;
  bool cookies_changed = false;
  std::string address;        // the IP connected to; empty when none was, or behind a proxy
  uint64_t wire_bytes = 0;    // received, headers and undecoded body
  absl::Time started, ended;  // ended: the last byte, before any queueing
  base::HeldBytes held;       // of Options::bodies, for as long as this is kept
};

// How much memory it takes: the room of its body, and its header values.
size_t BytesOf(const Response& response);

}  // namespace opic::fetch

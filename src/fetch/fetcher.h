// Fetches URLs: requests in, responses out; one libcurl multi loop on epoll in its own thread.
//
// HTTP/1.1 and HTTP/2, TLS, IPv6, keep-alive, gzip, conditional requests. Redirects are not
// followed: they are responses. Cookies, netrc, credentials and proxies of the environment are
// ignored.
//
// Every request ends in exactly one response, within `total_timeout`, having cost at most
// `header_bytes_max` + `body_bytes_max` of memory beside libcurl's fixed buffers and the decoder's
// window (32 KiB for gzip, up to 16 MiB for brotli); bodies are counted after decoding.
//
// Each request needs a socket: allow the process some 3 * in_flight_max open files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace opic::fetch {

struct Options {
  std::string user_agent = "opic";
  int in_flight_max = 256;   // requests at once; Submit refuses more
  int per_address_max = 16;  // requests under way to one IP address; above: kAddressBusy
  absl::Duration connect_timeout = absl::Seconds(10);
  absl::Duration total_timeout = absl::Seconds(60);
  int64_t low_speed_bytes_per_s = 100;  // slower than this for low_speed_time ends the request
  absl::Duration low_speed_time = absl::Seconds(20);
  size_t header_bytes_max = 64 << 10;  // all header lines of a response together
  size_t body_bytes_max = 10 << 20;    // decoded
  // Per request, on average after a burst of one second's worth or 100 KiB; 0: no cap.
  int64_t receive_bytes_per_s_max = 0;
  // Connect to loopback, private, link-local, metadata ranges too (fetch/address_filter.h). Checked
  // for the address itself before connecting, so a name that changes its mind does not help.
  bool allow_private = false;
  bool loopback_only = false;  // nothing but loopback, whatever allow_private says
  // As CURLOPT_PROXY; empty: none, and the environment is ignored. With a proxy neither the address
  // check nor per_address_max applies: the only address seen is the proxy's, and what it may
  // connect to is its own decision.
  std::string proxy;
  std::vector<std::string> connect_to;  // as CURLOPT_CONNECT_TO, "HOST:PORT:ADDRESS:PORT"
  std::string ca_file;                  // empty: the system's
};

struct Request {
  uint64_t ticket = 0;  // returned with the response
  std::string url;
  std::string etag;           // If-None-Match, verbatim; empty or with control bytes: not sent
  std::string last_modified;  // If-Modified-Since, likewise
  size_t body_bytes_max = 0;  // 0: the option's
};

enum class Error : uint8_t {
  kNone,  // an HTTP response with `status`
  kResolve,
  kConnect,
  kTls,
  kTimeout,
  kTooSlow,
  kCut,      // closed early, reset
  kGarbage,  // not HTTP
  kHeaderTooLarge,
  kBodyTooLarge,
  kBadEncoding,
  kRefusedAddress,
  kAddressBusy,
  kStopped,
  kOther
};
std::string_view Name(Error error);

struct Response {
  uint64_t ticket = 0;
  Error error = Error::kNone;
  std::string detail;  // for people; empty without error
  bool sent = false;   // a request may have reached the server: politeness counts it
  int status = 0;      // 0 with an error before the status line
  // Header values as received (last one wins; x_robots_tag joined by ", "), at most
  // header_bytes_max together.
  std::string content_type, location, etag, last_modified, retry_after, x_robots_tag;
  // Decoded. What came before the limit when kBodyTooLarge; empty with any other error.
  std::string body;
  std::string address;        // the IP connected to; empty when none was, or behind a proxy
  uint64_t wire_bytes = 0;    // received, headers and undecoded body
  absl::Time started, ended;  // ended: the last byte, before any queueing
};

// Thread safety: synchronised inside. The callback runs on the fetch thread and must not block.
class Fetcher {
 public:
  // InvalidArgument names an option that cannot work. `done` may call Submit.
  static absl::StatusOr<std::unique_ptr<Fetcher>> Start(Options options,
                                                        std::function<void(Response)> done);
  virtual ~Fetcher() = default;  // as Stop()
  // False: in_flight_max is reached or it was stopped; the request was not taken.
  virtual bool Submit(Request request) = 0;
  // Requests taken whose callback was not yet called.
  virtual int in_flight() const = 0;
  // CPU time used by the fetch thread so far.
  virtual absl::Duration cpu_time() const = 0;
  // Ends every request under way with kStopped, then the thread. Idempotent.
  // REQUIRES: not called from the callback.
  virtual void Stop() = 0;
};

}  // namespace opic::fetch

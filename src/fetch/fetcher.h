// Fetches URLs: requests in, responses out; one libcurl multi loop on epoll in its own thread.
//
// HTTP/1.1 and HTTP/2, TLS, IPv6, keep-alive, gzip, deflate, Brotli and zstd, conditional requests.
// Requests to one host share a connection where it speaks HTTP/2 (over TLS), as many as the caller
// has under way and the server takes; else each has its own.
// Redirects are not followed: they are responses. netrc, credentials and proxies of the
// environment are ignored; credentials of the options (fetch/host_access.h) go to their host alone,
// and so do cookies, which are ignored without Options::cookies.
//
// Every request ends in exactly one response, within `total_timeout`, or twice that when reading is
// held back, unless it is withdrawn before. It costs at most `header_bytes_max` + `body_bytes_max`
// of memory beside libcurl's fixed buffers and the decoder's window, which holds what was decoded
// last (32 KiB of it for gzip and deflate, 8 MiB for zstd, 16 MiB for Brotli); bodies are counted
// after decoding.
//
// While `bodies` is crowded (seven eighths are held), large answers wait in their connections;
// while it is full, all do, and no new request is sent. When nearly all of it is held by requests
// under way, one reads on alone, the eldest that has something to read, so that one always comes to
// its end. What was held back goes on, eldest first, as soon as there is room. The time during
// which a request is held back counts neither as slow nor towards `total_timeout`; if it is longer
// than `total_timeout` the request ends with kNoRoom, as do requests that are not sent yet, and at
// once those that would hold back others on their connection.
// So `bodies` is exceeded by two bodies at most.
//
// While `bodies` is full because of requests under way, those whose answers come at less than 16
// KiB/s for a quarter of `low_speed_time` end with kTooSlow: many slow hosts would keep all others
// waiting.
//
// A header line without a colon, which browsers skip, is kBadHeader, as libcurl lets none pass:
// Response::ask_again. From then on answers of its origin are read through a filter
// (fetch/filtering_relay.h), over HTTP/1 and a connection for each request. Of 10,000 such origins
// it is known; one more takes the place of another, and its answer is not to be asked for again.
// Cookies that are for TLS only are neither sent nor kept then. For http through an HTTP proxy
// there is no filter.
//
// Each request needs a socket, and one through the filter four: allow the process some 3 *
// in_flight_max open files, or three times what LimitInFlight is given, and those of
// Options::connections_kept.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fetch/options.h"
#include "fetch/response.h"

namespace opic::fetch {

// Thread safety: synchronised inside. The callback runs on the fetch thread and must not block.
class Fetcher {
 public:
  // InvalidArgument names an option that cannot work. `done` may call Submit.
  static absl::StatusOr<std::unique_ptr<Fetcher>> Start(Options options,
                                                        std::function<void(Response)> done);
  virtual ~Fetcher() = default;  // as Stop()
  // False: as many as there may be are under way, or it was stopped; the request was not taken.
  virtual bool Submit(Request request) = 0;
  struct UnderWay {
    std::string_view url;
    bool sent = false;  // as Response::sent
  };
  // Ends those requests taken so far of which `which` says so with kWithdrawn, whatever has come of
  // their answers. It is called on the fetch thread, soon.
  virtual void Withdraw(std::function<bool(const UnderWay&)> which) = 0;
  // From now on, instead of Options::in_flight_max. What is under way above it goes on. REQUIRES:
  // most > 0.
  virtual void LimitInFlight(int most) = 0;
  // Requests taken whose callback was not yet called.
  virtual int in_flight() const = 0;
  // CPU time used by the fetch thread so far.
  virtual absl::Duration cpu_time() const = 0;
  // Ends every request under way with kStopped, then the thread. Idempotent.
  // REQUIRES: not called from the callback.
  virtual void Stop() = 0;
};

}  // namespace opic::fetch

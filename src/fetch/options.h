// How the fetcher behaves: limits, time limits, what it may connect to.
//
// Thread safety: compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/byte_budget.h"
#include "fetch/cookie_jar.h"
#include "fetch/host_access.h"

namespace opic::fetch {

struct Options {
  std::string user_agent = "opic";
  std::string accept = "*/*";  // the Accept header
  // Whether a body of this Content-Type, as received, is wanted; empty: no such header. Null: all
  // are. Called on the fetch thread (Response::unwanted).
  std::function<bool(std::string_view content_type)> wants;
  // Asked on the fetch thread when a connection is ready, before the request for this URL is sent,
  // and before it is sent again; false: kWithdrawn. Null: all may be sent.
  std::function<bool(std::string_view url)> may_send;
  int in_flight_max = 256;  // requests at once; Submit refuses more
  // Connections that may stay open for later requests, with those in use; twice as many as requests
  // at once if that is more.
  int connections_kept = 0;
  int per_address_max = 16;  // requests under way to one IP address; above: kAddressBusy
  absl::Duration connect_timeout = absl::Seconds(10);
  absl::Duration total_timeout = absl::Seconds(60);
  int64_t low_speed_bytes_per_s = 100;  // slower than this for low_speed_time ends the request
  absl::Duration low_speed_time = absl::Seconds(20);
  size_t header_bytes_max = 64 << 10;  // all header lines of a response together
  size_t body_bytes_max = 10 << 20;    // decoded
  // What answers may take of the memory, those under way and those handed over (Response::held).
  // While it is full nothing is read but the eldest answer (Fetcher). Outlives the fetcher and its
  // responses. Null: no bound.
  base::ByteBudget* bodies = nullptr;
  // Per request, on average after a burst of one second's worth or 100 KiB; 0: no cap.
  int64_t receive_bytes_per_s_max = 0;
  // Connect to loopback, private, link-local, metadata ranges too (fetch/address_filter.h). Checked
  // for the address itself before connecting, so a name that changes its mind does not help.
  bool allow_private = false;
  bool loopback_only = false;  // loopback and nothing else, whatever allow_private says
  // As CURLOPT_PROXY (IsProxy); empty: none, and the environment is ignored. What goes wrong at the
  // proxy itself is kProxy. With a proxy neither the address
  // check nor per_address_max applies: the only address seen is the proxy's, and what it may
  // connect to is its own decision.
  std::string proxy;
  std::vector<std::string> connect_to;  // as CURLOPT_CONNECT_TO, "HOST:PORT:ADDRESS:PORT"
  std::string ca_file;                  // empty: the system's
  // Header lines "Name: value" that every request carries, those for robots.txt, too.
  std::vector<std::string> headers;
  HostAccessMap host_access;
  // Cookies of hosts, for requests that ask for them. Outlives the fetcher. Null: there are none.
  CookieJar* cookies = nullptr;
};

}  // namespace opic::fetch

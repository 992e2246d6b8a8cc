// HTTP/1.1 with keep-alive on one address: requests in, answers out. The only file of the module's
// that knows libmicrohttpd is http_server.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sample/answer.h"
#include "sample/hit.h"

namespace opic::sample {

// One thread of its own runs both callbacks, and `on_hit` before it reads the next request: on a
// client's side a response that is complete has been recorded before its next request.
//
// Bounded: 20,000 connections, 30 s of silence each, 32 KB of headers. More connections wait until
// others end.
// Thread safety: synchronised inside.
class HttpServer {
 public:
  using Answering = std::function<Answer(const Request&)>;
  using OnHit = std::function<void(Hit)>;

  // Listens on an IPv4 or IPv6 address; port 0 is any free one. InvalidArgument: not an address;
  // Unavailable: cannot listen there.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address,
                                                           uint16_t port, Answering answer,
                                                           OnHit on_hit);
  virtual ~HttpServer() = default;  // stops; no callback runs afterwards
  virtual uint16_t port() const = 0;
};

}  // namespace opic::sample

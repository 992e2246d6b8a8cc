// A small HTTP server for strangers: short requests in, answers out, on one thread of its own. Only
// server.cc and response.cc know libmicrohttpd.
//
// A connection carries one request. It is answered at once, or later by another thread: then the
// connection waits, and the server's thread serves others. An answer may come in parts, for as long
// as the client stays (http/flow.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "http/address.h"
#include "http/certificate.h"
#include "http/message.h"

namespace opic::http {

// What strangers may use up.
struct Limits {
  unsigned connections_max = 64;  // for a newer one the oldest that waits for no answer is cut
  unsigned per_address_max = 16;  // a newer one is refused
  // For a connection, from its beginning to the end of the request, and again from the answer, or a
  // part of it, to its last byte; after that it is cut, whatever it does.
  absl::Duration connection_time_max = absl::Seconds(10);
  size_t header_bytes_max = 8192;  // the request line is part of them
  size_t body_bytes_max = 0;       // 0: no body is read
  // Of bodies and answers together. One may go beyond it; what comes then finds no room.
  size_t held_bytes_max = size_t{64} << 20;
};

struct ServerOptions {
  std::string flag = "--http";  // the flag that gave the address, for errors
  Limits limits;
  // This server's, as it is now: asked for when it starts and, on its thread, for every connection;
  // empty: plain text.
  std::function<Certificate()> tls;
};

// A request that waits for its answer.
//
// Thread safety: synchronised inside.
class Waiting {
 public:
  virtual ~Waiting() = default;
  // To be called once, on any thread, also when the client has gone: otherwise the server cannot
  // stop. `make` runs on the server's thread; if `room` is false it must not make a long answer.
  virtual void Answer(std::function<http::Answer(bool room)> make) = 0;
  // To be called before the handler returns. `give_up` runs once, on the server's thread, if the
  // client goes or the server stops before there is an answer.
  virtual void WhenGone(std::function<void()> give_up) = 0;
};

// Thread safety: synchronised inside.
class Server {
 public:
  // Runs on the server's thread, and must not block it.
  using Handler = std::function<void(Request, std::shared_ptr<Waiting>)>;
  // One that answers at once.
  static Handler AtOnce(std::function<Answer(const Request&)> answer);

  // Unavailable: cannot listen there, or the certificate is wrong. `clock` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Address& address, Handler handler,
                                                       base::Clock& clock,
                                                       const ServerOptions& options = {});
  virtual ~Server() = default;                 // stops; no callback runs afterwards
  virtual const Address& address() const = 0;  // with the port that it has
};

}  // namespace opic::http

// A small HTTP server for strangers: short requests in, answers out, on one thread of its own. The
// only file of the module's that knows libmicrohttpd is server.cc.
//
// A connection carries one request. Its answer is made at once, or later by somebody else: then the
// connection waits, and the thread serves others.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "http/address.h"
#include "http/message.h"

namespace opic::http {

// What strangers may take.
struct Limits {
  unsigned connections_max = 64;  // for a newer one the oldest that waits for no answer is cut
  unsigned per_address_max = 16;  // a newer one is refused
  // From its beginning to the end of its request, and from the answer to that one's last byte; then
  // it is cut, whatever it does.
  absl::Duration connection_time_max = absl::Seconds(10);
  size_t header_bytes_max = 8192;  // a bit less counts: the request line is in it, too
  size_t body_bytes_max = 0;       // 0: no body is waited for
  // Of bodies and answers together, and one more: what comes then finds no room.
  size_t held_bytes_max = size_t{64} << 20;
};

// PEM texts.
struct Certificate {
  std::string certificate, key;
};

struct ServerOptions {
  std::string flag = "--http";  // which named the address, for errors
  Limits limits;
  std::optional<Certificate> tls;  // by which it says who it is; nothing: plain text
};

// A request that waits for its answer.
//
// Thread safety: synchronised inside.
class Waiting {
 public:
  virtual ~Waiting() = default;
  // Once, on any thread; also when the client has gone, or else the server cannot stop. `make` runs
  // on the server's thread; `room` is false where a long answer is not to be made.
  virtual void Answer(std::function<http::Answer(bool room)> make) = 0;
  // To be called before the handler returns: `give_up` runs on the server's thread, once, when the
  // client has gone or the server stops, and there is no answer yet.
  virtual void WhenGone(std::function<void()> give_up) = 0;
};

// Thread safety: synchronised inside.
class Server {
 public:
  // Runs on the server's thread, and must not block it.
  using Handler = std::function<void(Request, std::shared_ptr<Waiting>)>;
  // One that answers at once.
  static Handler AtOnce(std::function<Answer(const Request&)> answer);

  // Unavailable: cannot listen there, or the certificate is none. `clock` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Address& address, Handler handler,
                                                       base::Clock& clock,
                                                       const ServerOptions& options = {});
  virtual ~Server() = default;                 // stops; no callback runs afterwards
  virtual const Address& address() const = 0;  // with the port that it has
};

}  // namespace opic::http

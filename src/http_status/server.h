// A small HTTP server for strangers: requests without bodies in, short answers out. The only file of
// the module's that knows libmicrohttpd is server.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "http_status/address.h"

namespace opic::http_status {

struct Request {
  std::string method, path;
  bool json = false;          // asked for, by ?json or an Accept line that names it
  bool open_metrics = false;  // an Accept line names that format
};

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string allow;  // methods, with 405
};

// What strangers may take.
struct Limits {
  unsigned connections_max = 64;  // for a newer one the oldest is cut
  unsigned per_address_max = 16;  // a newer one is refused
  // From its beginning to the last byte of its answer; then it is cut, whatever it does.
  absl::Duration connection_time_max = absl::Seconds(10);
  size_t header_bytes_max = 8192;  // a bit less counts: the request line is in it, too
};

// A connection carries one request. One thread of its own runs the callback.
// Thread safety: synchronised inside.
class Server {
 public:
  using Answering = std::function<Answer(const Request&)>;

  // Unavailable: cannot listen there. `clock` must outlive the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Address& address, Answering answer,
                                                       base::Clock& clock,
                                                       const Limits& limits = {});
  virtual ~Server() = default;                 // stops; the callback does not run afterwards
  virtual const Address& address() const = 0;  // with the port that it has
};

}  // namespace opic::http_status

// A connection to a port on loopback that sends what it is told, byte by byte if need be.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opic::http {

class RawClient {
 public:
  // `from` is an address of 127.0.0.0/8, and the port is one of 127.0.0.1.
  explicit RawClient(uint16_t port, const std::string& from = "127.0.0.1");
  // The port is one of ::1.
  static RawClient OverIpv6(uint16_t port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False: the other end has closed.
  bool Send(std::string_view bytes) const;
  // All up to the end of the connection; waits for it, at most ten seconds for each byte.
  std::string ReadToEnd() const;
  // Does not wait.
  bool ended() const;

 private:
  struct Connected {
    int socket;
  };
  explicit RawClient(Connected connected) : socket_(connected.socket) {}

  const int socket_;
};

// One GET without more ado; the whole answer, with its header.
std::string Get(uint16_t port, const std::string& target, const std::string& more_lines = "");

}  // namespace opic::http

// A SOCKS5 proxy for tests (RFC 1928, RFC 1929), on a port of its own of 127.0.0.1: it connects
// every request to one port there, whatever was asked for, or fails as it is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"

namespace opic::support {

// Thread safety: synchronised inside.
class SocksProxy {
 public:
  enum class Fault { kNone, kSilentAtGreeting, kClosesAtGreeting, kSilentAtRequest };
  struct Options {
    int relay_port = 0;
    uint8_t reply = 0;           // to a request (RFC 1928 section 6); 0: connected
    std::string user, password;  // asked for where `user` is not empty
    Fault fault = Fault::kNone;
  };

  explicit SocksProxy(Options options);
  ~SocksProxy();
  SocksProxy(const SocksProxy&) = delete;
  SocksProxy& operator=(const SocksProxy&) = delete;

  // "socks5h://127.0.0.1:PORT"; `user` is "NAME:PASSWORD" or empty.
  std::string Url(std::string_view scheme, std::string_view user = "") const;
  // What requests asked for, in order: "name a.example:80", "address 127.0.0.1:80".
  std::vector<std::string> asked() const;

 private:
  void Accept();
  void Serve(int fd);
  bool Greet(int fd);
  bool CheckPassword(int fd);
  bool TakeRequest(int fd);
  void Relay(int fd);
  void Keep(int fd);

  const Options options_;
  int listener_ = -1;
  int port_ = 0;

  mutable absl::Mutex mu_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<int> open_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> asked_ ABSL_GUARDED_BY(mu_);
  std::vector<std::thread> serving_ ABSL_GUARDED_BY(mu_);

  std::thread accepting_;  // last: it uses all the others
};

}  // namespace opic::support

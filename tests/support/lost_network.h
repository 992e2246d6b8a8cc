// A machine that loses its network, and gets it back.
//
// lost_network.cc defines connect and getaddrinfo for the test program, which libcurl then calls.
// Names under .test are of this machine, at 127.0.0.1.
#pragma once

#include <string>

namespace opic::support {

// While it lives. There is at most one at a time.
class LostNetwork {
 public:
  enum class What {
    kRoutes,     // there is no route to `address`, or to anywhere when that is empty
    kResolvers,  // no name server answers
  };
  explicit LostNetwork(What what, const std::string& address = "");
  ~LostNetwork();
  LostNetwork(const LostNetwork&) = delete;
  LostNetwork& operator=(const LostNetwork&) = delete;
};

}  // namespace opic::support

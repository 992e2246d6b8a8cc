// The connections that are open to each IP address, in use or kept for the next request to the same
// host. A server with thousands of names has as many connections as it can take, and each that is
// kept to one name is one less for the others, and for other people.
//
// And how many requests share a connection (HTTP/2).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"

namespace opic::fetch {

class OpenConnections {
 public:
  void Opened(int socket, const std::string& address) {
    addresses_[socket] = address;
    ++open_[address];
  }
  // Nothing happens to a socket that is not known.
  void Closed(int socket) {
    const auto known = addresses_.find(socket);
    if (known == addresses_.end()) return;
    const auto open = open_.find(known->second);
    if (--open->second == 0) open_.erase(open);
    addresses_.erase(known);
  }
  // A request is sent on a connection, named by its two ends.
  void Join(const std::string& connection) { ++requests_[connection]; }
  // REQUIRES: it has joined and not yet left.
  void Leave(const std::string& connection) {
    const auto joined = requests_.find(connection);
    if (--joined->second == 0) requests_.erase(joined);
  }
  bool shared(const std::string& connection) const {
    const auto joined = requests_.find(connection);
    return joined != requests_.end() && joined->second > 1;
  }
  int to(const std::string& address) const {
    const auto open = open_.find(address);
    return open == open_.end() ? 0 : open->second;
  }

 private:
  absl::flat_hash_map<int, std::string> addresses_;  // by socket
  absl::flat_hash_map<std::string, int> open_;       // no zeroes
  absl::flat_hash_map<std::string, int> requests_;   // likewise
};

}  // namespace opic::fetch

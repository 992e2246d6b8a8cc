// Where to listen: the value of a flag such as --http.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace opic::http {

struct Address {
  std::string ip;     // IPv4, or IPv6 without brackets
  uint16_t port = 0;  // 0: any free one

  bool ipv6() const { return ip.find(':') != std::string::npos; }
  bool IsLoopback() const;     // nobody outside this machine can reach it
  std::string ToText() const;  // as in a URL
};

// "127.0.0.1:9464", "[::1]:9464", "localhost:9464"; a port alone is one of 127.0.0.1.
// InvalidArgument names `flag`. Host names are refused: they could mean any address.
absl::StatusOr<Address> ParseAddress(const std::string& text, const std::string& flag = "--http");

}  // namespace opic::http

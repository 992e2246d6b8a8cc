#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace opic::http {
namespace {

bool IsIp(int family, const std::string& ip) {
  in6_addr parsed;  // room for either
  return inet_pton(family, ip.c_str(), &parsed) == 1;
}

// Digits only, so that there is one way to write a port.
bool ParsePort(const std::string& text, uint16_t& port) {
  uint32_t number = 0;
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &number) || number > 65'535)
    return false;
  port = static_cast<uint16_t>(number);
  return true;
}

}  // namespace

bool Address::IsLoopback() const { return ip == "::1" || absl::StartsWith(ip, "127."); }

std::string Address::ToText() const {
  return ipv6() ? absl::StrCat("[", ip, "]:", port) : absl::StrCat(ip, ":", port);
}

absl::StatusOr<Address> ParseAddress(const std::string& text, const std::string& flag) {
  Address address{.ip = "127.0.0.1"};
  if (ParsePort(text, address.port)) return address;
  const size_t colon = text.rfind(':');
  const std::string host = text.substr(0, colon == text.npos ? 0 : colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) {
    address.ip = host.substr(1, host.size() - 2);
  } else if (host != "localhost") {
    address.ip = host;
  }
  if (colon != text.npos && ParsePort(text.substr(colon + 1), address.port) &&
      IsIp(bracketed ? AF_INET6 : AF_INET, address.ip))
    return address;
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": \"", text,
                   "\" is not valid; it must be ADDRESS:PORT with an IP address, such as "
                   "127.0.0.1:9464 or [::1]:9464, or a port of 127.0.0.1 alone"));
}

}  // namespace opic::http

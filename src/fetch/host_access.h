// What certain hosts are shown, or forgiven: credentials, and a certificate that is not checked.
//
// Thread safety: compatible.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace opic::fetch {

struct HostAccess {
  std::string authorization;  // value of the Authorization header (RFC 9110 section 11.6.2)
  bool insecure = false;      // its certificate is not checked
};

// By origin as a normalised URL begins with it: "https://host", "http://host:8080".
using HostAccessMap = std::map<std::string, HostAccess, std::less<>>;

// The origin of a normalised URL: all before its path.
inline std::string_view OriginOf(std::string_view url) {
  const size_t host = url.find("://");
  if (host == std::string_view::npos) return {};
  return url.substr(0, url.find_first_of("/?#", host + 3));
}

// The host of a normalised URL: "site.example", "[::1]".
inline std::string_view HostOf(std::string_view url) {
  std::string_view host = OriginOf(url);
  host.remove_prefix(std::min(host.find("://") + 3, host.size()));
  const size_t port = host.rfind(':');
  return port == host.npos || host.ends_with(']') ? host : host.substr(0, port);
}

}  // namespace opic::fetch

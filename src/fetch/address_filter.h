// Which addresses a crawler may connect to: those of the public internet.
//
// Everything that IANA's special-purpose registries (RFC 6890) do not call globally reachable is
// refused: loopback, private, shared (100.64/10), link-local and cloud metadata (169.254/16),
// multicast, documentation, reserved. IPv6 addresses that carry an IPv4 address (v4-mapped RFC
// 4291, 6to4 RFC 3056, NAT64 RFC 6052) are judged by it as well, because a relay would lead there.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace opic::fetch {

bool IsPublicIpv4(uint32_t address);  // host byte order
bool IsPublicIpv6(const in6_addr& address);

// `address` as connect() takes it, `size` its true length. Unknown families are not public.
bool IsPublicAddress(const sockaddr* address, socklen_t size);
// 127.0.0.0/8, also as ::ffff:127.0.0.0/104, and ::1.
bool IsLoopbackAddress(const sockaddr* address, socklen_t size);

}  // namespace opic::fetch

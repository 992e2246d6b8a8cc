#include "fetch/address_filter.h"

#include <cstring>
#include <optional>

namespace opic::fetch {
namespace {

struct Block4 {
  uint32_t prefix;
  int bits;
};

// https://www.iana.org/assignments/iana-ipv4-special-registry, plus multicast and class E.
constexpr Block4 kRefused4[] = {
    {0x00000000, 8},   // 0.0.0.0/8 this network
    {0x0a000000, 8},   // 10.0.0.0/8 private
    {0x64400000, 10},  // 100.64.0.0/10 carrier-grade NAT
    {0x7f000000, 8},   // 127.0.0.0/8 loopback
    {0xa9fe0000, 16},  // 169.254.0.0/16 link-local, cloud metadata
    {0xac100000, 12},  // 172.16.0.0/12 private
    {0xc0000000, 24},  // 192.0.0.0/24 protocol assignments
    {0xc0000200, 24},  // 192.0.2.0/24 documentation
    {0xc0586300, 24},  // 192.88.99.0/24 6to4 relays
    {0xc0a80000, 16},  // 192.168.0.0/16 private
    {0xc6120000, 15},  // 198.18.0.0/15 benchmarks
    {0xc6336400, 24},  // 198.51.100.0/24 documentation
    {0xcb007100, 24},  // 203.0.113.0/24 documentation
    {0xe0000000, 4},   // 224.0.0.0/4 multicast
    {0xf0000000, 4},   // 240.0.0.0/4 reserved, broadcast
};

// Blocks are named by their upper 64 bits.
struct Block6 {
  uint64_t prefix;
  int bits;
};

// What is not public inside 2000::/3, the only block of global unicast addresses.
constexpr Block6 kRefused6[] = {
    {0x2001000000000000, 23},  // 2001::/23 protocol assignments, Teredo
    {0x20010db800000000, 32},  // 2001:db8::/32 documentation
    {0x3fff000000000000, 20},  // 3fff::/20 documentation
};
constexpr Block6 kGlobalUnicast = {0x2000000000000000, 3};
constexpr Block6 kSixToFour = {0x2002000000000000, 16};
constexpr uint64_t kNat64 = 0x0064ff9b00000000;  // 64:ff9b::/96

constexpr bool Contains(Block4 block, uint32_t address) {
  return (address ^ block.prefix) >> (32 - block.bits) == 0;
}

constexpr bool Contains(Block6 block, uint64_t high) {
  return (high ^ block.prefix) >> (64 - block.bits) == 0;
}

uint64_t BigEndian(const uint8_t* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

// ::ffff:0:0/96, an IPv4 address as the system's calls write it in IPv6.
std::optional<uint32_t> MappedIpv4(const in6_addr& address) {
  const uint64_t low = BigEndian(address.s6_addr + 8);
  if (BigEndian(address.s6_addr) != 0 || low >> 32 != 0xffff) return std::nullopt;
  return static_cast<uint32_t>(low);
}

bool IsLoopbackIpv4(uint32_t address) { return address >> 24 == 127; }

}  // namespace

bool IsPublicIpv4(uint32_t address) {
  for (Block4 block : kRefused4) {
    if (Contains(block, address)) return false;
  }
  return true;
}

bool IsPublicIpv6(const in6_addr& address) {
  if (const std::optional<uint32_t> mapped = MappedIpv4(address)) return IsPublicIpv4(*mapped);
  const uint64_t high = BigEndian(address.s6_addr);
  const uint64_t low = BigEndian(address.s6_addr + 8);
  if (high == kNat64 && low >> 32 == 0) return IsPublicIpv4(static_cast<uint32_t>(low));
  if (Contains(kSixToFour, high)) return IsPublicIpv4(static_cast<uint32_t>(high >> 16));
  if (!Contains(kGlobalUnicast, high)) return false;
  for (Block6 block : kRefused6) {
    if (Contains(block, high)) return false;
  }
  return true;
}

bool IsPublicAddress(const sockaddr* address, socklen_t size) {
  // Copied, not cast: libcurl's buffer is typed as the short sockaddr.
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in v4;
    std::memcpy(&v4, address, sizeof(v4));
    return IsPublicIpv4(ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6;
    std::memcpy(&v6, address, sizeof(v6));
    return IsPublicIpv6(v6.sin6_addr);
  }
  return false;
}

bool IsLoopbackAddress(const sockaddr* address, socklen_t size) {
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in v4;
    std::memcpy(&v4, address, sizeof(v4));
    return IsLoopbackIpv4(ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6;
    std::memcpy(&v6, address, sizeof(v6));
    const std::optional<uint32_t> mapped = MappedIpv4(v6.sin6_addr);
    return mapped ? IsLoopbackIpv4(*mapped) : IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
  }
  return false;
}

}  // namespace opic::fetch

// IP addresses as hosts of URLs (URL Standard, sections 3.5 "host parsing" and 3.6 "host
// serializing").
//
// IPv4 has odd spellings: "0x7f.1", "017700000001" and "2130706433" are all 127.0.0.1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opic::url {

using Ipv6Pieces = std::array<uint16_t, 8>;

// Whether a host must be read as IPv4 or not at all: its last label (before one final dot) is a
// number.
bool EndsInNumber(std::string_view host);

// Nothing: not an IPv4 address. The first byte of the address is the most significant.
std::optional<uint32_t> ParseIpv4(std::string_view host);
void AppendIpv4(uint32_t address, std::string& out);

// `text` is what stands between the brackets. Nothing: not an IPv6 address.
std::optional<Ipv6Pieces> ParseIpv6(std::string_view text);
// With brackets, lower case, the first longest run of two or more zero pieces compressed to "::".
void AppendIpv6(const Ipv6Pieces& pieces, std::string& out);

}  // namespace opic::url

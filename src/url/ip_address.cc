#include "url/ip_address.h"

#include <algorithm>
#include <charconv>

#include "url/character_class.h"

namespace opic::url {
namespace {

constexpr uint64_t kTooLarge = uint64_t{1}
                               << 32;  // above every part of an address; sums do not wrap

// The "IPv4 number parser"; values above 2^32 are given as 2^32. Nothing: not a number.
std::optional<uint64_t> ParseIpv4Number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  uint64_t radix = 10;
  if (text.size() >= 2 && text[0] == '0' && Lower(text[1]) == 'x') {
    radix = 16;
    text.remove_prefix(2);
  } else if (text.size() >= 2 && text[0] == '0') {
    radix = 8;
    text.remove_prefix(1);
  }
  uint64_t value = 0;  // "0x" alone is zero
  for (char c : text) {
    const int digit = HexValue(c);
    if (digit < 0 || static_cast<uint64_t>(digit) >= radix) return std::nullopt;
    value = std::min(value * radix + static_cast<uint64_t>(digit), kTooLarge);
  }
  return value;
}

void AppendNumber(unsigned value, int base, std::string& out) {
  char digits[12];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  out.append(digits, end);
}

// The dotted end of "::ffff:192.0.2.1": four decimal bytes without leading zeros.
std::optional<uint32_t> ParseEmbeddedIpv4(std::string_view text) {
  uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0) {
      if (text.empty() || text[0] != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    uint32_t byte = 0;
    size_t size = 0;
    for (; size < text.size() && size < 4 && IsDigit(text[size]); ++size) {
      byte = byte * 10 + static_cast<uint32_t>(text[size] - '0');
    }
    const bool leading_zero = size > 1 && text[0] == '0';
    if (size == 0 || leading_zero || byte > 255) return std::nullopt;
    address = address << 8 | byte;
    text.remove_prefix(size);
  }
  if (!text.empty()) return std::nullopt;
  return address;
}

// Up to four hexadecimal digits at the start of `text`, taken from it.
uint16_t TakeHex(std::string_view& text, size_t& size) {
  uint16_t value = 0;
  for (size = 0; size < text.size() && size < 4 && HexValue(text[size]) >= 0; ++size) {
    value = static_cast<uint16_t>(value * 16 + HexValue(text[size]));
  }
  text.remove_prefix(size);
  return value;
}

// Moves the pieces after "::" to the end, so that the zeros it stands for lie between.
void Expand(Ipv6Pieces& pieces, size_t compress, size_t count) {
  const auto after = pieces.begin() + compress;
  std::rotate(after, pieces.begin() + count, pieces.end());
}

struct Run {
  size_t begin = 0;
  size_t size = 0;
};

Run LongestZeroRun(const Ipv6Pieces& pieces) {
  Run longest, current;
  for (size_t at = 0; at < pieces.size(); ++at) {
    if (pieces[at] != 0) {
      current = {at + 1, 0};
    } else if (++current.size > longest.size) {
      longest = current;
    }
  }
  return longest;
}

}  // namespace

bool EndsInNumber(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const size_t dot = host.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (last.empty() || !IsDigit(last[0])) return false;
  return std::all_of(last.begin(), last.end(), IsDigit) || ParseIpv4Number(last).has_value();
}

std::optional<uint32_t> ParseIpv4(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  uint64_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const size_t dot = host.find('.');
    const std::optional<uint64_t> number = ParseIpv4Number(host.substr(0, dot));
    if (!number) return std::nullopt;
    if (dot == std::string_view::npos) {  // the last number fills all bytes that remain
      const int bits = 8 * (4 - part);
      if (*number >= uint64_t{1} << bits) return std::nullopt;
      return static_cast<uint32_t>((address << bits) + *number);
    }
    if (*number > 255) return std::nullopt;
    address = address << 8 | *number;
    host.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

void AppendIpv4(uint32_t address, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    AppendNumber(address >> shift & 255, 10, out);
    if (shift > 0) out.push_back('.');
  }
}

std::optional<Ipv6Pieces> ParseIpv6(std::string_view text) {
  constexpr size_t kNone = 9;
  Ipv6Pieces pieces{};
  size_t count = 0, compress = kNone;
  if (text.starts_with(':')) {
    if (!text.starts_with("::")) return std::nullopt;
    text.remove_prefix(2);
    compress = ++count;  // "::" stands for one zero piece at least
  }
  while (!text.empty()) {
    if (count == pieces.size()) return std::nullopt;
    if (text[0] == ':') {
      if (compress != kNone) return std::nullopt;
      text.remove_prefix(1);
      compress = ++count;
      continue;
    }
    const std::string_view piece_on = text;
    size_t digits = 0;
    const uint16_t value = TakeHex(text, digits);
    if (text.starts_with('.')) {
      const auto embedded = ParseEmbeddedIpv4(piece_on);
      if (!embedded || count > 6) return std::nullopt;
      pieces[count++] = static_cast<uint16_t>(*embedded >> 16);
      pieces[count++] = static_cast<uint16_t>(*embedded);
      break;
    }
    if (text.starts_with(':')) {
      text.remove_prefix(1);
      if (text.empty()) return std::nullopt;
    } else if (!text.empty()) {
      return std::nullopt;
    }
    pieces[count++] = value;
  }
  if (compress == kNone && count != pieces.size()) return std::nullopt;
  if (compress != kNone) Expand(pieces, compress, count);
  return pieces;
}

void AppendIpv6(const Ipv6Pieces& pieces, std::string& out) {
  const Run zeros = LongestZeroRun(pieces);
  const bool compress = zeros.size > 1;
  out.push_back('[');
  for (size_t at = 0; at < pieces.size(); ++at) {
    if (compress && at == zeros.begin) {
      out.append(at == 0 ? "::" : ":");
      at += zeros.size - 1;
      continue;
    }
    AppendNumber(pieces[at], 16, out);
    if (at + 1 < pieces.size()) out.push_back(':');
  }
  out.push_back(']');
}

}  // namespace opic::url

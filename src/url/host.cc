#include "url/host.h"

#include <optional>

#include "url/character_class.h"
#include "url/idna.h"
#include "url/ip_address.h"
#include "url/percent_encoding.h"
#include "url/utf8.h"

namespace opic::url {
namespace {

Rejected AppendBracketed(std::string_view raw, std::string& out) {
  if (raw.back() != ']') return Rejected::kBadHost;
  const auto pieces = ParseIpv6(raw.substr(1, raw.size() - 2));
  if (!pieces) return Rejected::kBadHost;
  AppendIpv6(*pieces, out);
  return Rejected::kNone;
}

bool IsPlain(std::string_view host) { return RunOf(kHostPlain, host) == host.size(); }

// Appends a domain of plain characters, which may yet turn out to be an IPv4 address.
Rejected AppendDomain(std::string_view domain, std::string& out) {
  if (EndsInNumber(domain)) {
    const auto address = ParseIpv4(domain);
    if (!address) return Rejected::kBadHost;
    AppendIpv4(*address, out);
    return Rejected::kNone;
  }
  const size_t begin = out.size();
  out.append(domain);
  for (size_t at = begin; at < out.size(); ++at) out[at] = Lower(out[at]);
  return Rejected::kNone;
}

// The way of hosts that are not plain ASCII: decoded, mapped by IDNA, and only then looked at.
Rejected AppendMapped(std::string_view raw, std::string& out) {
  if (!IsUtf8(raw)) return Rejected::kBadHost;  // U+FFFD is in no domain
  std::string domain = PercentDecoded(raw);
  if (!IsUtf8(domain)) return Rejected::kBadHost;
  if (NeedsIdna(domain)) {
    if (domain.size() > kIdnaBytesMax) return Rejected::kTooLong;
    auto ascii = ToAscii(domain);
    if (!ascii) return Rejected::kBadHost;
    domain = *std::move(ascii);
  }
  return IsPlain(domain) ? AppendDomain(domain, out) : Rejected::kBadHost;
}

}  // namespace

Rejected AppendHost(std::string_view raw, std::string& out) {
  if (raw.empty()) return Rejected::kNoHost;
  if (raw.front() == '[') return AppendBracketed(raw, out);
  return IsPlain(raw) && !NeedsIdna(raw) ? AppendDomain(raw, out) : AppendMapped(raw, out);
}

}  // namespace opic::url

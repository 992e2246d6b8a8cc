#include "url/host.h"

#include <optional>

#include "base/utf8.h"
#include "url/character_class.h"
#include "url/idna.h"
#include "url/ip_address.h"
#include "url/percent_encoding.h"

namespace opic::url {
namespace {

HostVerdict AppendBracketed(std::string_view raw, std::string& out) {
  if (raw.back() != ']') return HostVerdict::kBad;
  const auto pieces = ParseIpv6(raw.substr(1, raw.size() - 2));
  if (!pieces) return HostVerdict::kBad;
  AppendIpv6(*pieces, out);
  return HostVerdict::kGood;
}

bool IsPlain(std::string_view host) { return RunOf(kHostPlain, host) == host.size(); }

// Appends a domain of plain characters, which may yet turn out to be an IPv4 address.
HostVerdict AppendDomain(std::string_view domain, std::string& out) {
  if (EndsInNumber(domain)) {
    const auto address = ParseIpv4(domain);
    if (!address) return HostVerdict::kBad;
    AppendIpv4(*address, out);
    return HostVerdict::kGood;
  }
  const size_t begin = out.size();
  out.append(domain);
  for (size_t at = begin; at < out.size(); ++at) out[at] = Lower(out[at]);
  return HostVerdict::kGood;
}

// The way of hosts that are not plain ASCII: decoded, mapped by IDNA, and only then looked at.
HostVerdict AppendMapped(std::string_view raw, std::string& out) {
  if (!base::IsUtf8(raw)) return HostVerdict::kBad;  // U+FFFD is in no domain
  std::string domain = PercentDecoded(raw);
  if (!base::IsUtf8(domain)) return HostVerdict::kBad;
  if (NeedsIdna(domain)) {
    if (domain.size() > kIdnaBytesMax) return HostVerdict::kTooLong;
    auto ascii = ToAscii(domain);
    if (!ascii) return HostVerdict::kBad;
    domain = *std::move(ascii);
  }
  return IsPlain(domain) ? AppendDomain(domain, out) : HostVerdict::kBad;
}

}  // namespace

HostVerdict AppendHost(std::string_view raw, std::string& out) {
  if (raw.empty()) return HostVerdict::kEmpty;
  if (raw.front() == '[') return AppendBracketed(raw, out);
  return IsPlain(raw) && !NeedsIdna(raw) ? AppendDomain(raw, out) : AppendMapped(raw, out);
}

std::string Bracketed(std::string_view typed) {
  const std::string host(typed);
  return ParseIpv6(host) ? "[" + host + "]" : host;
}

}  // namespace opic::url

#include "gateway/foreign_pages.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/status_macros.h"

namespace opic::gateway {
namespace {

// Of "NAME", "NAME:PORT" or "[IPv6]:PORT"; in lower case.
std::string HostOf(const std::string& authority) {
  const std::string lower = absl::AsciiStrToLower(authority);
  if (!lower.empty() && lower[0] == '[') {
    const size_t end = lower.find(']');
    return end == lower.npos ? lower : lower.substr(1, end - 1);
  }
  return lower.substr(0, lower.find(':'));
}

bool IsIp(const std::string& host) {
  in6_addr parsed;  // room for either
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

absl::Status FromElsewhere(const std::string& header, const std::string& value) {
  return absl::PermissionDeniedError(
      absl::StrCat("web pages of other sites are refused (", header, ": ", base::Quoted(value),
                   "); a node with a --token-file accepts them with a token"));
}

}  // namespace

absl::Status RefuseForeignPages(const http::Request& request, const std::set<std::string>& names) {
  const std::string* const given = request.Header("Host");
  const std::string authority = given == nullptr ? "" : *given;
  const std::string host = HostOf(authority);
  if (host != "localhost" && !IsIp(host) && !names.contains(host)) {
    return absl::PermissionDeniedError(
        absl::StrCat("Host: ", base::Quoted(authority),
                     " is not a name of this node: use its IP address, or give it a --token-file "
                     "and show a token"));
  }
  if (const std::string* site = request.Header("Sec-Fetch-Site");
      site != nullptr && *site != "same-origin" && *site != "none")
    return FromElsewhere("Sec-Fetch-Site", *site);
  if (const std::string* origin = request.Header("Origin"); origin != nullptr) {
    const size_t scheme_end = origin->find("://");
    if (scheme_end == origin->npos ||
        !absl::EqualsIgnoreCase(origin->substr(scheme_end + 3), authority))
      return FromElsewhere("Origin", *origin);
  }
  return absl::OkStatus();
}

}  // namespace opic::gateway

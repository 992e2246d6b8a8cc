#include "cli/contact.h"

#include <netdb.h>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "fetch/address_filter.h"
#include "url/url.h"

namespace opic::cli {
namespace {

// Whether every address of the host is loopback. A host that does not resolve is not.
bool ResolvesToLoopback(std::string host) {
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return false;
  absl::Cleanup free_found = [found] { freeaddrinfo(found); };
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    if (!fetch::IsLoopbackAddress(at->ai_addr, at->ai_addrlen)) return false;
  }
  return found != nullptr;
}

}  // namespace

absl::Status RequireContact(const CrawlFlags& flags, node::CrawlOptions& options) {
  if (!flags.contact.empty()) return absl::OkStatus();
  options.fetch.loopback_only = true;
  if (!flags.fetch.connect_to.empty() || !flags.fetch.proxy.empty()) return absl::OkStatus();
  absl::flat_hash_set<std::string> looked_up;
  for (const std::string& seed : options.seeds) {
    const std::optional<url::Url> url = url::Parse(seed);
    if (!url) continue;
    const std::string host(url->host());
    if (!looked_up.insert(host).second || ResolvesToLoopback(host)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--contact is required to crawl ", host,
        ": an e-mail address or a URL by which the owners of the crawled servers can reach you"));
  }
  return absl::OkStatus();
}

}  // namespace opic::cli

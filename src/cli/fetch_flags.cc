#include "cli/fetch_flags.h"

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/host_access_flags.h"
#include "cli/proxy_flag.h"
#include "cli/quantity.h"
#include "cli/wrong_value.h"

namespace opic::cli {
namespace {

// Four parts, each of which may be empty; colons in brackets belong to an IPv6 address.
bool IsRoute(const std::string& text) {
  int colons = 0;
  bool bracketed = false;
  for (const char c : text) {
    if (c == '[' || c == ']') bracketed = c == '[';
    if (c == ':' && !bracketed) ++colons;
  }
  return colons == 3 && !bracketed;
}

}  // namespace

void FetchFlags::AddTo(CLI::App& app) {
  app.add_option("--timeout", timeout, "time limit of one fetch (default 60s)");
  app.add_option("--connect-timeout", connect_timeout, "time limit of connecting (default 10s)");
  app.add_option("--body-max", body_max,
                 "bytes kept of one page after decoding; the rest is cut off (default 10M)");
  app.add_option(
      "--accept", accept,
      "types of pages that are downloaded: a list of html, xml, feed, text, pdf, any and "
      "media types such as image/* (default html,xml,feed,text)");
  app.add_option("--proxy", proxy,
                 "proxy for all fetches, e.g. http://127.0.0.1:3128 or socks5h://127.0.0.1:1080");
  app.add_option("--proxy-file", proxy_file,
                 "a file whose only line is the proxy, for one with a password");
  app.add_option("--ca-file", ca_file, "certificates to trust instead of the system's");
  app.add_option(
         "--header", headers,
         "\"Name: value\": a header that every request carries, e.g. Accept-Language; may be "
         "repeated")
      ->allow_extra_args(false);
  app.add_flag("--cookies", cookies,
               "keep the cookies that hosts set, in the data folder, and send each host its own");
  app.add_option("--auth-file", auth_file,
                 "file with credentials, a line a host: HOST basic USER PASSWORD, or HOST bearer "
                 "TOKEN; they go to HOST over https, or over http if HOST begins with http://");
  app.add_option("--insecure", insecure,
                 "HOST[:PORT]: do not check the certificate of this host; may be repeated")
      ->allow_extra_args(false);
  app.add_option(
         "--connect-to", connect_to,
         "HOST:PORT:ADDRESS:PORT: connect to the second pair instead of the first; may be repeated")
      ->allow_extra_args(false);
}

absl::Status FetchFlags::ApplyTo(node::CrawlOptions& options) const {
  ASSIGN_OR_RETURN(options.fetch.total_timeout, ParseDuration(timeout, "timeout"));
  ASSIGN_OR_RETURN(options.fetch.connect_timeout,
                   ParseDuration(connect_timeout, "connect-timeout"));
  ASSIGN_OR_RETURN(options.fetch.body_bytes_max, ParseBytes(body_max, "body-max"));
  absl::StatusOr<desk::AcceptList> list = desk::AcceptList::Parse(accept);
  if (!list.ok()) return base::WithContext(list.status(), "--accept");
  options.accept = *std::move(list);
  ASSIGN_OR_RETURN(options.fetch.proxy, ProxyOf(proxy, proxy_file));
  options.fetch.ca_file = ca_file;
  for (const std::string& route : connect_to) {
    if (!IsRoute(route)) return WrongValue("connect-to", route, "HOST:PORT:ADDRESS:PORT");
  }
  options.fetch.connect_to = connect_to;
  ASSIGN_OR_RETURN(options.fetch.headers, ParseHeaders(headers));
  options.cookies = cookies;
  ASSIGN_OR_RETURN(options.fetch.host_access, ReadHostAccess(auth_file, insecure));
  return absl::OkStatus();
}

}  // namespace opic::cli

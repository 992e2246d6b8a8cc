#include "fetch/settings.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "fetch/address_filter.h"
#include "fetch/content_coding.h"
#include "fetch/curl_handles.h"
#include "fetch/routes.h"

namespace opic::fetch {
namespace {

// Some eleven days; libcurl takes milliseconds as an int in places, and zero as "its own default".
constexpr long kMillisecondsMax = 1'000'000'000;

long Milliseconds(absl::Duration duration) {
  const int64_t rounded_up = absl::ToInt64Milliseconds(absl::Ceil(duration, absl::Milliseconds(1)));
  return static_cast<long>(std::clamp<int64_t>(rounded_up, 1, kMillisecondsMax));
}

long Seconds(absl::Duration duration) { return (Milliseconds(duration) + 999) / 1000; }

bool IsOneLine(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || !c; });
}

// Of a proxy's address, in lower case; empty: it is none. As libcurl reads it.
std::string SchemeOf(const std::string& proxy) {
  std::unique_ptr<CURLU, void (*)(CURLU*)> parts(curl_url(), &curl_url_cleanup);
  OPIC_CHECK(parts != nullptr) << "out of memory";
  if (curl_url_set(parts.get(), CURLUPART_URL, proxy.c_str(),
                   CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME) != CURLUE_OK)
    return "";
  if (proxy.find("://") == std::string::npos) return "http";  // and not by the name
  char* scheme = nullptr;
  if (curl_url_get(parts.get(), CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK) return "";
  std::string lower = absl::AsciiStrToLower(scheme);
  curl_free(scheme);
  return lower;
}

absl::Status Require(bool condition, const char* what) {
  if (condition) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("fetch option ", what));
}

// libcurl 7.88 looks at the rate only after up to 100 reads of a buffer each: with its 16 KB a page
// below 1.6 MB would never be held back.
void CapRate(CURL* easy, int64_t bytes_per_s_max) {
  if (bytes_per_s_max == 0) return;
  Set(easy, CURLOPT_MAX_RECV_SPEED_LARGE, curl_off_t{bytes_per_s_max});
  const int64_t buffer = std::clamp<int64_t>(bytes_per_s_max / 100, 1024, CURL_MAX_WRITE_SIZE);
  Set(easy, CURLOPT_BUFFERSIZE, static_cast<long>(buffer));
}

void LimitTimeAndRate(CURL* easy, const Options& options) {
  Set(easy, CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(options.connect_timeout));
  SetTotalTimeout(easy, options.total_timeout);
  Set(easy, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(options.low_speed_bytes_per_s));
  Set(easy, CURLOPT_LOW_SPEED_TIME, Seconds(options.low_speed_time));
  CapRate(easy, options.receive_bytes_per_s_max);
  // Else a request that times out while its name is being resolved makes libcurl join the resolver
  // thread: one dead name server would hold up all other requests for as long as getaddrinfo takes.
  Set(easy, CURLOPT_QUICK_EXIT, 1L);
  Set(easy, CURLOPT_NOSIGNAL, 1L);
}

void SpeakHttp(CURL* easy, const Options& options) {
  Set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  Set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  Set(easy, CURLOPT_HTTP09_ALLOWED, 0L);
  Set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  Set(easy, CURLOPT_PATH_AS_IS, 1L);
  Set(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  Set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  Set(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
  Set(easy, CURLOPT_ACCEPT_ENCODING, kAcceptedCodings);
  Set(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
}

void SetProxy(CURL* easy, const Options& options) {
  // Empty strings, not null: null would let http_proxy and no_proxy in the environment speak.
  Set(easy, CURLOPT_PROXY, options.proxy.c_str());
  Set(easy, CURLOPT_NOPROXY, "");
  Set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

// The engine reads no file, and keeps nothing from one request to the next (SetCookies).
void SetUpCookies(CURL* easy, const Options& options) {
  if (options.cookies != nullptr) Set(easy, CURLOPT_COOKIEFILE, "");
}

void Trust(CURL* easy, const Options& options) {
  const char* bundle = curl_version_info(CURLVERSION_NOW)->cainfo;
  if (!options.ca_file.empty()) bundle = options.ca_file.c_str();
  if (bundle != nullptr) {
    Set(easy, CURLOPT_CAINFO, bundle);
    // libcurl parses the bundle once for all connections only where no folder is set beside it.
    Set(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  // Sessions are kept by easy handle, five each, and handles wander between hosts: no hits to win.
  Set(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
}

}  // namespace

bool IsProxy(const std::string& proxy) {
  const std::string scheme = SchemeOf(proxy);
  for (const char* known : {"http", "https", "socks4", "socks4a", "socks5", "socks5h"}) {
    if (scheme == known) return true;
  }
  return false;
}

absl::Status Validate(const Options& options) {
  RETURN_IF_ERROR(Require(options.in_flight_max > 0, "in_flight_max must be positive"));
  RETURN_IF_ERROR(Require(options.per_address_max > 0, "per_address_max must be positive"));
  RETURN_IF_ERROR(
      Require(options.connect_timeout > absl::ZeroDuration(), "connect_timeout must be positive"));
  RETURN_IF_ERROR(
      Require(options.total_timeout > absl::ZeroDuration(), "total_timeout must be positive"));
  RETURN_IF_ERROR(
      Require(options.low_speed_time > absl::ZeroDuration(), "low_speed_time must be positive"));
  RETURN_IF_ERROR(
      Require(options.low_speed_bytes_per_s >= 0, "low_speed_bytes_per_s must not be negative"));
  RETURN_IF_ERROR(Require(options.receive_bytes_per_s_max >= 0,
                          "receive_bytes_per_s_max must not be negative"));
  RETURN_IF_ERROR(Require(IsOneLine(options.user_agent), "user_agent must be one line"));
  RETURN_IF_ERROR(Require(IsOneLine(options.accept), "accept must be one line"));
  RETURN_IF_ERROR(Require(options.ca_file.empty() || access(options.ca_file.c_str(), R_OK) == 0,
                          "ca_file cannot be read"));
  RETURN_IF_ERROR(Require(options.proxy.empty() || IsProxy(options.proxy),
                          "proxy must be [SCHEME://][USER:PASSWORD@]HOST[:PORT] (IsProxy)"));
  RETURN_IF_ERROR(
      Require(options.cookies == nullptr ||
                  (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_PSL) != 0,
              "cookies need a libcurl that knows public suffixes (libpsl)"));
  for (const std::string& line : options.headers) {
    RETURN_IF_ERROR(Require(IsOneLine(line) && line.find(": ") != std::string::npos,
                            "headers must be lines \"Name: value\""));
  }
  for (const auto& [origin, access] : options.host_access) {
    RETURN_IF_ERROR(Require(IsOneLine(access.authorization), "authorization must be one line"));
  }
  for (const std::string& route : options.connect_to) {
    RETURN_IF_ERROR(Require(IsOneLine(route) && std::count(route.begin(), route.end(), ':') >= 3,
                            "connect_to must be HOST:PORT:ADDRESS:PORT"));
  }
  return absl::OkStatus();
}

bool MayConnectTo(const Options& options, const sockaddr* address, socklen_t size) {
  if (options.loopback_only) return IsLoopbackAddress(address, size);
  return options.allow_private || IsPublicAddress(address, size);
}

bool IsHttpProxy(const std::string& proxy) { return !SchemeOf(proxy).starts_with("socks"); }

void CheckCertificate(CURL* easy, bool check) {
  Set(easy, CURLOPT_SSL_VERIFYPEER, check ? 1L : 0L);
  Set(easy, CURLOPT_SSL_VERIFYHOST, check ? 2L : 0L);
}

void OnlyConnect(CURL* easy) {
  Set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  Set(easy, CURLOPT_CONNECT_ONLY, 1L);
  Set(easy, CURLOPT_FORBID_REUSE, 0L);
}

void SpeakToLocalSocket(CURL* easy, const std::string& name) {
  Set(easy, CURLOPT_ABSTRACT_UNIX_SOCKET, name.c_str());
  Set(easy, CURLOPT_PROXY, "");
  Set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  Set(easy, CURLOPT_FRESH_CONNECT, 1L);
  Set(easy, CURLOPT_FORBID_REUSE, 1L);
}

void SetCookies(CURL* easy, const std::vector<std::string>& cookies) {
  Set(easy, CURLOPT_COOKIELIST, "ALL");  // forget
  for (const std::string& cookie : cookies) Set(easy, CURLOPT_COOKIELIST, cookie.c_str());
}

std::vector<std::string> CookiesOf(CURL* easy) {
  curl_slist* first = nullptr;
  curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &first);
  const StringList list(first);
  std::vector<std::string> cookies;
  for (const curl_slist* each = first; each != nullptr; each = each->next)
    cookies.emplace_back(each->data);
  return cookies;
}

void SetTotalTimeout(CURL* easy, absl::Duration timeout) {
  Set(easy, CURLOPT_TIMEOUT_MS, Milliseconds(timeout));
}

void Configure(CURL* easy, const Options& options, const Routes& routes) {
  LimitTimeAndRate(easy, options);
  SpeakHttp(easy, options);
  SetProxy(easy, options);
  routes.Apply(easy);
  Trust(easy, options);
  SetUpCookies(easy, options);
}

}  // namespace opic::fetch

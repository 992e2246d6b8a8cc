// Options as libcurl settings: what may be asked for, and what every easy handle is told once.
//
// Thread safety: pure, but for the handle, which is confined to one thread.
#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "fetch/options.h"
#include "fetch/validate.h"

namespace opic::fetch {

class Routes;

// Settings that are the same for all requests. `routes` must outlive `easy`.
// REQUIRES: Validate(options) is ok.
void Configure(CURL* easy, const Options& options, const Routes& routes);

// Whether these options allow a connection to this address, as connect() takes it; of a proxy that
// is not asked.
bool MayConnectTo(const Options& options, const sockaddr* address, socklen_t size);

// Of Options::proxy: it is spoken to in HTTP, and not in SOCKS. REQUIRES: not empty.
bool IsHttpProxy(const std::string& proxy);

// Of one request: whether the server's certificate must be valid, and for its name.
void CheckCertificate(CURL* easy, bool check);

// Of a handle: it makes a connection for HTTP/1, and nothing more.
void OnlyConnect(CURL* easy);
// Of a handle: it speaks HTTP/1 over a connection of its own to a local socket
// (CURLOPT_ABSTRACT_UNIX_SOCKET), whatever its URL says.
void SpeakToLocalSocket(CURL* easy, const std::string& name);

// Of one request: all the cookies there are (CookieJar), whatever there was before.
void SetCookies(CURL* easy, const std::vector<std::string>& cookies);
// What its answer has made of them.
std::vector<std::string> CookiesOf(CURL* easy);

// Sets the limit of a request, also while it is under way.
void SetTotalTimeout(CURL* easy, absl::Duration timeout);

}  // namespace opic::fetch

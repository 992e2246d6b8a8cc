#include "fetch/knock.h"

#include <netdb.h>
#include <sys/socket.h>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "fetch/curl_error.h"
#include "fetch/curl_handles.h"
#include "fetch/routes.h"
#include "fetch/settings.h"

namespace opic::fetch {
namespace {

curl_socket_t OpenSocket(void* options, curlsocktype, curl_sockaddr* address) {
  if (!MayConnectTo(*static_cast<const Options*>(options), &address->addr, address->addrlen))
    return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int EndsWhenStopped(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return *static_cast<const std::atomic<bool>*>(stop) ? 1 : 0;
}

// libcurl says only that a name was not resolved: no such name is an answer, no answer is none.
Knocked AskNameServer(const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (found != nullptr) freeaddrinfo(found);
  return error == 0 || error == EAI_NONAME || error == EAI_NODATA ? Knocked::kHeard
                                                                  : Knocked::kNoResolver;
}

}  // namespace

std::string_view Name(Knocked knocked) {
  switch (knocked) {
    case Knocked::kHeard:
      return "heard";
    case Knocked::kSilent:
      return "silent";
    case Knocked::kNoRoute:
      return "no route";
    case Knocked::kNoResolver:
      break;
  }
  return "no name server";
}

Knocked Knock(const Options& options, const std::string& host, uint16_t port,
              absl::Duration patience, const std::atomic<bool>& stop) {
  OPIC_CHECK(options.proxy.empty()) << "a proxy is in the way";
  const Routes routes(options);
  const EasyHandle easy(curl_easy_init());
  OPIC_CHECK(easy != nullptr) << "out of memory";
  char message[CURL_ERROR_SIZE] = {};
  Configure(easy.get(), options, routes);
  SetTotalTimeout(easy.get(), patience);
  // Plain text whatever the port: there is no handshake.
  Set(easy.get(), CURLOPT_URL, absl::StrCat("http://", host, ":", port, "/").c_str());
  Set(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
  Set(easy.get(), CURLOPT_ERRORBUFFER, message);
  Set(easy.get(), CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
  Set(easy.get(), CURLOPT_OPENSOCKETDATA, const_cast<Options*>(&options));
  Set(easy.get(), CURLOPT_NOPROGRESS, 0L);
  Set(easy.get(), CURLOPT_XFERINFOFUNCTION, &EndsWhenStopped);
  Set(easy.get(), CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(&stop));
  switch (curl_easy_perform(easy.get())) {
    case CURLE_OK:
      return Knocked::kHeard;
    case CURLE_COULDNT_RESOLVE_HOST:
      return stop ? Knocked::kSilent : AskNameServer(host);
    case CURLE_COULDNT_CONNECT:
      if (IsRefused(easy.get())) return Knocked::kHeard;
      return IsNoRoute(easy.get()) ? Knocked::kNoRoute : Knocked::kSilent;
    case CURLE_OPERATION_TIMEDOUT:  // libcurl's words, while it waits for the name
      return std::string_view(message).find("Resolving") != std::string_view::npos
                 ? Knocked::kNoResolver
                 : Knocked::kSilent;
    default:
      return Knocked::kSilent;
  }
}

}  // namespace opic::fetch

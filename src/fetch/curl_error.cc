#include "fetch/curl_error.h"

#include <cerrno>

namespace opic::fetch {
namespace {

bool Mentions(std::string_view message, std::string_view words) {
  return message.find(words) != std::string_view::npos;
}

bool IsReset(std::string_view message) {
  return Mentions(message, "reset by peer") || Mentions(message, "was not closed cleanly: ");
}

bool IsOfAHeaderLine(std::string_view message) {
  return IsLineWithoutColon(message) || Mentions(message, "Nul byte in header") ||
         Mentions(message, "Content-Length");
}

template <typename Value>
Value InfoOf(CURL* easy, CURLINFO info) {
  Value value{};
  curl_easy_getinfo(easy, info, &value);
  return value;
}

// Name and TCP are the proxy's, whatever was asked for.
bool IsConnected(CURL* easy) {
  const auto* address = InfoOf<const char*>(easy, CURLINFO_PRIMARY_IP);
  return address != nullptr && *address != '\0';
}

// TLS to an https proxy was begun for this transfer, and did not come to its end.
bool IsProxyTlsBroken(CURL* easy) {
  return InfoOf<long>(easy, CURLINFO_NUM_CONNECTS) > 0 &&
         InfoOf<long>(easy, CURLINFO_PROXY_SSL_VERIFYRESULT) != 0;
}

// What a SOCKS proxy has told of the host, or else its own failure.
Error FromSocks(CURL* easy) {
  switch (InfoOf<long>(easy, CURLINFO_PROXY_ERROR)) {
    case CURLPX_RESOLVE_HOST:  // socks4 and socks5: here
      return Error::kResolve;
    case CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED:
    case CURLPX_REPLY_CONNECTION_REFUSED:
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE:
    case CURLPX_REPLY_HOST_UNREACHABLE:
    case CURLPX_REPLY_NETWORK_UNREACHABLE:
    case CURLPX_REPLY_NOT_ALLOWED:
    case CURLPX_REPLY_TTL_EXPIRED:
    case CURLPX_REPLY_UNASSIGNED:
    case CURLPX_REQUEST_FAILED:  // of socks4, for all reasons
    case CURLPX_LONG_HOSTNAME:
      return Error::kConnect;
    default:
      return Error::kProxy;
  }
}

// As an established connection ends whose way has gone.
bool IsWayGone(CURL* easy) {
  const long error = InfoOf<long>(easy, CURLINFO_OS_ERRNO);
  return error == ETIMEDOUT || error == EHOSTUNREACH || IsNoRoute(easy);
}

bool IsRefusedPassword(CURL* easy) { return InfoOf<long>(easy, CURLINFO_HTTP_CONNECTCODE) == 407; }

}  // namespace

Error FromCurl(CURLcode code, std::string_view message) {
  switch (code) {
    case CURLE_OK:
      return Error::kNone;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Error::kResolve;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
      return Error::kConnect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CLIENTCERT:
      return Error::kTls;
    case CURLE_OPERATION_TIMEDOUT:
      return Mentions(message, "too slow") ? Error::kTooSlow : Error::kTimeout;
    case CURLE_RECV_ERROR:
      if (Mentions(message, "CONNECT tunnel")) return Error::kConnect;  // refused by the proxy
      if (Mentions(message, "chunked-encoding")) return Error::kBadChunks;
      return IsReset(message) ? Error::kReset : Error::kCut;
    case CURLE_GOT_NOTHING:
      return Error::kNoAnswer;
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2_STREAM:
      return IsReset(message) ? Error::kReset : Error::kCut;
    case CURLE_UNSUPPORTED_PROTOCOL:  // also a scheme that is not http(s)
      return Mentions(message, "HTTP") ? Error::kGarbage : Error::kOther;
    case CURLE_WEIRD_SERVER_REPLY:
      return IsOfAHeaderLine(message) ? Error::kBadHeader : Error::kGarbage;
    case CURLE_HTTP2:
      return Error::kGarbage;
    // A line above libcurl's own 100 KB reaches us as a failed allocation.
    case CURLE_OUT_OF_MEMORY:
      return Error::kHeaderTooLarge;
    // Our callbacks refuse with a reason of their own, so a failed write is a decoder's.
    case CURLE_WRITE_ERROR:
    case CURLE_BAD_CONTENT_ENCODING:
      return Error::kBadEncoding;
    default:
      return Error::kOther;
  }
}

Error FromCurlBehindProxy(CURL* easy, CURLcode code, std::string_view message) {
  const Error error = FromCurl(code, message);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      return Error::kProxy;
    case CURLE_COULDNT_RESOLVE_HOST:  // also said of the name of a SOCKS proxy
      return IsConnected(easy) ? error : Error::kProxy;
    case CURLE_PROXY:
      return FromSocks(easy);
    case CURLE_RECV_ERROR:
      if (IsRefusedPassword(easy) || Mentions(message, "Proxy CONNECT aborted"))
        return Error::kProxy;
      return error;
    case CURLE_OPERATION_TIMEDOUT:
      return !IsConnected(easy) || IsProxyTlsBroken(easy) ? Error::kProxy : error;
    default:
      return error == Error::kTls && IsProxyTlsBroken(easy) ? Error::kProxy : error;
  }
}

bool IsLineWithoutColon(std::string_view message) {
  return Mentions(message, "Header without colon");
}

bool IsNoRoute(CURL* easy) {
  const long error = InfoOf<long>(easy, CURLINFO_OS_ERRNO);
  return error == ENETUNREACH || error == ENETDOWN || error == EADDRNOTAVAIL;
}

bool IsRefused(CURL* easy) { return InfoOf<long>(easy, CURLINFO_OS_ERRNO) == ECONNREFUSED; }

bool IsUnheard(CURL* easy, CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_INTERFACE_FAILED:
    case CURLE_OPERATION_TIMEDOUT:
      return true;
    case CURLE_COULDNT_CONNECT:
      return !IsRefused(easy);
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
      return IsWayGone(easy);
    default:
      return false;
  }
}

}  // namespace opic::fetch

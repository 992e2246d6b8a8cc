#include "fetch/curl_error.h"

namespace opic::fetch {
namespace {

bool Mentions(std::string_view message, std::string_view words) {
  return message.find(words) != std::string_view::npos;
}

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
    case CURLE_PROXY:
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
      return Mentions(message, "chunked-encoding") ? Error::kGarbage : Error::kCut;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2_STREAM:
      return Error::kCut;
    case CURLE_UNSUPPORTED_PROTOCOL:  // also a scheme that is not http(s)
      return Mentions(message, "HTTP") ? Error::kGarbage : Error::kOther;
    case CURLE_WEIRD_SERVER_REPLY:
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

}  // namespace opic::fetch

// Implements a part of fetch/download.h. What the end of a download means: which error it is, whose
// fault, and what the response keeps.
#include <curl/curl.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "fetch/curl_error.h"
#include "fetch/download.h"
#include "fetch/settings.h"

namespace opic::fetch {
namespace {

// The lowest free descriptor is given first: while one of the highest is in use, or was a moment
// ago, a resolver or a TLS library may have failed for want of one, with an error that blames the
// host.
bool NoDescriptorLeft() {
  constexpr int kHighest = 16;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kHighest ||
      limit.rlim_cur > std::numeric_limits<int>::max())
    return false;
  const int least = static_cast<int>(limit.rlim_cur) - kHighest;
  const int spare = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, least);
  if (spare >= 0) close(spare);
  return spare >= 0 ? spare != least : errno == EMFILE;
}

}  // namespace

Response Download::Finish(CURLcode code) {
  Measure();
  Judge(code);
  KeepCookies();
  return Release();
}

Response Download::Abandon(Error error, std::string_view detail) {
  Measure();
  Refuse(error, detail);
  return Release();
}

void Download::Judge(CURLcode code) {
  if (response_.status == 407 && SpeaksHttpToProxy()) {
    return Refuse(Error::kProxy, "the proxy does not accept the user and password (status 407)");
  }
  if (response_.error != Error::kNone) return;  // a callback ended it and said why
  if (response_.unwanted) return;               // all that counts has come
  if (IsBrokenBehindFilter(code)) return Refuse(relay_->error(), relay_->detail());
  if (code == CURLE_OK) {
    // 1xx: something else was to come, or a protocol nobody asked for (RFC 9110 section 15.2).
    if (decoder_ && !decoder_->may_end()) {
      return Refuse(Error::kBadEncoding, absl::StrCat("the ", coding_, " body is not whole"));
    }
    if (response_.status >= 200 && response_.status <= 999) return;
    return Refuse(Error::kGarbage, absl::StrCat("final status ", response_.status));
  }
  if (code == CURLE_COULDNT_CONNECT && address_refused_ && !address_allowed_) {
    return Refuse(Error::kRefusedAddress, "not an address of the public internet");
  }
  if (held_back()) {
    return Refuse(Error::kNoRoom, "held back too long: the memory for answers was full");
  }
  if (no_descriptor_ || (response_.status == 0 && !response_.sent && NoDescriptorLeft())) {
    return Refuse(Error::kNoDescriptor, "this process has too many files open");
  }
  response_.unheard = options_.proxy.empty() && IsUnheard(easy(), code);
  response_.ask_again = code == CURLE_WEIRD_SERVER_REPLY && IsLineWithoutColon(message_) &&
                        !filter_head_ && MayFilter();
  const Error error = options_.proxy.empty() || relay_
                          ? FromCurl(code, message_)
                          : FromCurlBehindProxy(easy(), code, message_);
  Refuse(error, message_[0] != '\0' ? message_ : curl_easy_strerror(code));
}

// Its answer may then be the proxy's own; https goes through a tunnel.
bool Download::SpeaksHttpToProxy() const {
  if (relay_) return false;
  const char* scheme = nullptr;
  curl_easy_getinfo(easy(), CURLINFO_SCHEME, &scheme);
  return !options_.proxy.empty() && IsHttpProxy(options_.proxy) && scheme != nullptr &&
         absl::EqualsIgnoreCase(scheme, "http");
}

Response Download::Release() {
  const Error error = response_.error;
  if (error != Error::kNone) {
    response_.ended = base::RealClock::Get().Now();
    if (error != Error::kBodyTooLarge) response_.body = {};
    if (!response_.sent && error == Error::kConnect) response_.address.clear();
    if (error == Error::kRefusedAddress) response_.address.clear();
    if (error == Error::kProxy) response_.sent = false, response_.status = 0;
  }
  GiveSlotBack();
  LeaveConnection();
  relay_.reset();
  reader_.reset();
  decoder_.reset();
  active_ = false;
  NoteGoesOn();
  room_.Take(this, response_.held, BytesOf(response_));
  room_.Left(this, response_.held);
  return std::exchange(response_, {});
}

}  // namespace opic::fetch

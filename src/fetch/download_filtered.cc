// Implements a part of fetch/download.h. An answer with a head that libcurl refuses is asked for
// once more, and read through a filter (FilteringRelay).
#include <curl/curl.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "fetch/curl_error.h"
#include "fetch/download.h"
#include "fetch/settings.h"

namespace opic::fetch {

// An HTTP proxy wants other requests for http, and may refuse a tunnel for it.
bool Download::MayFilter() const {
  return options_.proxy.empty() || !IsHttpProxy(options_.proxy) || absl::StartsWith(url_, "https:");
}

void Download::SpeakThroughFilter(MultiLoop& loop) {
  relay_.emplace(loop, std::move(easy_), options_.header_bytes_max);
  MakeEasy();
  SpeakToLocalSocket(easy(), relay_->name());
  Set(easy(), CURLOPT_URL, absl::StrCat("http", url_.substr(url_.find(':'))).c_str());
  Set(easy(), CURLOPT_HTTPHEADER, headers_.get());
  if (!cookies_of_.empty())
    SetCookies(easy(), options_.cookies->Of(cookies_of_, response_.started));
  total_timeout_ -= base::RealClock::Get().Steady() - begun_;
  SetTotalTimeout(easy(), total_timeout_);
}

// libcurl knows only that nothing more comes.
bool Download::IsBrokenBehindFilter(CURLcode code) const {
  if (!relay_ || relay_->error() == Error::kNone) return false;
  long status = 0;
  curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
  const bool has_body = status != 204 && status != 304;
  const bool ends_with_connection =
      has_body && !response_.content_length && reader_->transfer_encoding().empty();
  return code != CURLE_OK || relay_->in_head() || ends_with_connection;
}

}  // namespace opic::fetch

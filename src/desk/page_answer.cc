#include "desk/page_answer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "refresh/content_hash.h"
#include "url/percent_encoding.h"

namespace opic::desk {
namespace {

constexpr size_t kEtagBytesMax = 256, kLastModifiedBytesMax = 64;

// More is taken for this. What is made of it has its own limits.
constexpr absl::Duration kRetryAfterMax = absl::Hours(366 * 24);
// RFC 9110 section 5.6.7: the one that is written, and two that are to be read.
constexpr const char* kHttpDates[] = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                      "%a %b %e %H:%M:%S %Y"};

bool IsTransientStatus(int status) {
  return status == 408 || status == 425 || status == 429 ||
         (status >= 500 && status != 501 && status != 505);
}

bool IsFinalError(fetch::Error error) {
  return error == fetch::Error::kHeaderTooLarge || error == fetch::Error::kBadEncoding ||
         error == fetch::Error::kRefusedAddress;
}

// A body that was not downloaded has changed when what the server says of it has. The page goes
// into it: two that say the same are not the same.
uint64_t HashOfHeader(PageId page, const fetch::Response& response) {
  if (response.etag.empty() && response.last_modified.empty() && !response.content_length) return 0;
  const std::string said = absl::StrCat(response.etag, "\n", response.last_modified, "\n",
                                        response.content_length.value_or(0));
  return refresh::HashOfBytes(base::Hash64(said, base::Hash64(base::Big64(page.word()))));
}

}  // namespace

bool IsAnswered(const fetch::Response& response) {
  return response.error == fetch::Error::kNone || response.error == fetch::Error::kBodyTooLarge;
}

bool IsPutOff(const fetch::Response& response) {
  return response.ask_again || response.error == fetch::Error::kAddressBusy ||
         response.error == fetch::Error::kNoDescriptor || response.error == fetch::Error::kNoRoom ||
         response.error == fetch::Error::kProxy || response.error == fetch::Error::kWithdrawn;
}

bool IsTransient(const fetch::Response& response) {
  return IsAnswered(response) ? IsTransientStatus(response.status) : !IsFinalError(response.error);
}

bool IsNoAnswer(const fetch::Response& response) {
  if (response.error == fetch::Error::kRefusedAddress) return false;
  const bool broke_off = !IsAnswered(response) && !IsFinalError(response.error);
  return response.status == 0 || (broke_off && !IsTransientStatus(response.status));
}

std::optional<url::Url> TargetOf(const fetch::Response& response, const url::Url& asked,
                                 url::Rejected* why) {
  return url::Parse(url::EncodedUnlessUtf8(response.location), &asked, why);
}

bool AsksForItsCookie(const fetch::Response& response, const url::Url& asked) {
  const bool redirect = IsAnswered(response) && response.status >= 300 && response.status < 400;
  if (!response.cookies_changed || !redirect || response.location.empty()) return false;
  const std::optional<url::Url> target = TargetOf(response, asked);
  return target && target->text() == asked.text();
}

absl::Duration RetryAfter(const std::string& value, absl::Time now) {
  if (value.empty()) return absl::ZeroDuration();  // of nearly all answers
  const bool is_number = value.find_first_not_of("0123456789") == value.npos;
  if (is_number) {
    int64_t seconds = 0;
    return absl::SimpleAtoi(value, &seconds) ? std::min(absl::Seconds(seconds), kRetryAfterMax)
                                             : kRetryAfterMax;
  }
  for (const char* form : kHttpDates) {
    absl::Time when;
    if (absl::ParseTime(form, value, &when, nullptr))
      return std::clamp(when - now, absl::ZeroDuration(), kRetryAfterMax);
  }
  return absl::ZeroDuration();
}

ledger::VisitKind KindOf(const fetch::Response& response, bool has_target) {
  using ledger::VisitKind;
  if (!IsAnswered(response) || IsTransient(response)) return VisitKind::kFailed;
  if (response.status == 304) return VisitKind::kNotModified;
  if (response.status >= 200 && response.status < 300) return VisitKind::kFetched;
  if (response.status >= 300 && response.status < 400 && has_target) return VisitKind::kRedirect;
  return VisitKind::kGone;
}

bool LeadsNowhere(const fetch::Response& response) {
  return IsAnswered(response) && response.status >= 300 && response.status < 400 &&
         response.status != 304;
}

std::string WhyNowhere(const fetch::Response& response, url::Rejected why) {
  constexpr size_t kShownMax = 200;
  if (response.location.empty()) return "a redirect without a Location";
  return absl::StrCat("a redirect to no http(s) URL (", std::string(url::Name(why)),
                      "): ", response.location.substr(0, kShownMax));
}

ledger::Visit VisitOf(PageId page, ledger::VisitKind kind, const fetch::Response* response,
                      std::vector<ledger::Link> links) {
  ledger::Visit visit;
  visit.page = page;
  visit.kind = kind;
  visit.links = std::move(links);
  if (response == nullptr) return visit;
  visit.http_status = static_cast<uint16_t>(response->status);
  visit.at = absl::ToUnixSeconds(response->ended);
  if (kind == ledger::VisitKind::kFetched) {
    if (response->unwanted) visit.content_hash = HashOfHeader(page, *response);
    if (response->etag.size() <= kEtagBytesMax) visit.etag = response->etag;
    if (response->last_modified.size() <= kLastModifiedBytesMax)
      visit.last_modified = response->last_modified;
  }
  return visit;
}

}  // namespace opic::desk

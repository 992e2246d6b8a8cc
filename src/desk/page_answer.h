// What the answer to a request for a page means: whether it may be another one soon, and which
// visit it makes.
//
// Thread safety: pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "fetch/fetcher.h"
#include "ledger/ledger.h"
#include "url/url.h"

namespace opic::desk {

// The server answered; of a body over the limit the first part counts.
bool IsAnswered(const fetch::Response& response);

// It failed for want of something here, or at the proxy, which says nothing of the server, or would
// be read in another way next time (fetch::Response::ask_again): to be asked again.
bool IsPutOff(const fetch::Response& response);

// Asked again, it may answer otherwise (RFC 9110 section 15), or answer at all.
bool IsTransient(const fetch::Response& response);

// No answer came, or one that broke off and may be whole another time: a good status line makes it
// no answer. What 408, 425, 429 and 5xx say holds, however they end. A refused address is none of
// this: it says nothing of the host.
bool IsNoAnswer(const fetch::Response& response);

// Where its Location leads from `asked`. Nothing: to no URL, with the reason in `why` when that is
// not null.
std::optional<url::Url> TargetOf(const fetch::Response& response, const url::Url& asked,
                                 url::Rejected* why = nullptr);

// It leads to the URL that was asked for, and has set a cookie: the next answer may be the page.
bool AsksForItsCookie(const fetch::Response& response, const url::Url& asked);

// For how long a Retry-After asks to wait from `now`: seconds or an HTTP date in any of its three
// forms (RFC 9110 sections 10.2.3, 5.6.7), at most a year; zero when absent or senseless.
absl::Duration RetryAfter(const std::string& value, absl::Time now);

// The kind of visit that a final answer makes; one that IsTransient counts as failed. A redirect
// without a target, or to something that is not a URL, counts as gone: `has_target` decides between
// kRedirect and kGone.
ledger::VisitKind KindOf(const fetch::Response& response, bool has_target);

// A redirect, if it had a target; of one that has none, why.
bool LeadsNowhere(const fetch::Response& response);
std::string WhyNowhere(const fetch::Response& response, url::Rejected why);

// The visit that `response` makes of `page`; null when nothing was asked for. Validators longer
// than 256 bytes, or 64 for Last-Modified, are not kept. The content hash of a body that was not
// downloaded is of what its header says: ETag, Last-Modified and length; 0 when it says nothing.
// That of one that was is left to the caller.
ledger::Visit VisitOf(PageId page, ledger::VisitKind kind, const fetch::Response* response,
                      std::vector<ledger::Link> links);

}  // namespace opic::desk

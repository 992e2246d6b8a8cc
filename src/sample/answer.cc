#include "sample/answer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/encoding.h"
#include "sample/page_text.h"

namespace opic::sample {
namespace {

constexpr size_t kSchemeBytes = 7;  // "http://"

bool IsAbsolute(const Request& request) {
  return absl::StartsWithIgnoreCase(request.target, "http://");
}

// Path and query without a fragment, which no client should send.
std::string PathOf(const Request& request) {
  std::string path = request.target.substr(0, request.target.find('#'));
  if (IsAbsolute(request)) {
    const size_t begin = path.find_first_of("/?", kSchemeBytes);
    path = begin == std::string::npos ? "/" : path.substr(begin);
  }
  return path;
}

std::string HttpDate(absl::Time time) {
  return absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", time, absl::UTCTimeZone());
}

// RFC 9110 section 13.2.2: the date is looked at only without an entity tag.
bool IsUnchanged(const Request& request, const std::string& etag,
                 std::optional<absl::Time> modified) {
  if (!request.if_none_match.empty()) {
    for (absl::string_view tag : absl::StrSplit(request.if_none_match, ',')) {
      tag = absl::StripAsciiWhitespace(tag);
      if (absl::StartsWith(tag, "W/")) tag.remove_prefix(2);
      if (tag == etag || tag == "*") return true;
    }
    return false;
  }
  absl::Time known;
  return modified &&
         absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", request.if_modified_since, &known, nullptr) &&
         known >= *modified;
}

Answer PlainAnswer(int status, std::string text) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(text)};
}

Answer NotFound(int status = 404) {
  return {status,
          {{"Content-Type", "text/html; charset=utf-8"}},
          "<!DOCTYPE html>\n<title>Not found</title>\n<p>There is no such page.\n"};
}

Answer Redirect(const Web& web, uint32_t page) {
  const uint32_t to = web.links.LinksOf(page)[0];
  const uint64_t draw = web.DrawFor(page, "redirect");
  const bool same_site = web.pages[page].site == web.pages[to].site;
  Answer answer = PlainAnswer(draw % 2 == 0 ? 301 : 302, "It is somewhere else.\n");
  // A Location may be relative (RFC 9110 section 10.2.2).
  answer.headers.emplace_back("Location",
                              same_site && draw % 4 < 2 ? web.pages[to].target : web.UrlOf(to));
  return answer;
}

Answer Document(const Web& web, uint32_t page, StateAt states, const Request& request) {
  const PageState state = states(page);
  if (state.presence == Presence::kNotYet) return NotFound();
  if (state.presence == Presence::kGone) {
    return NotFound(web.DrawFor(page, "status when gone") % 4 == 0 ? 410 : 404);
  }
  Answer answer{200, {}, ""};
  const char* type = "text/html; charset=utf-8";
  switch (web.pages[page].kind) {
    case PageKind::kFeed:
      type = "application/atom+xml; charset=utf-8";
      answer.body = FeedText(web, page, states);
      break;
    case PageKind::kSitemap:
      type = "application/xml; charset=utf-8";
      answer.body = SitemapText(web, page, states);
      break;
    default:
      if (CharsetOf(web, page) == Charset::kLatin1) type = "text/html; charset=ISO-8859-1";
      answer.body = HtmlText(web, page, state);
  }
  const std::string etag = absl::StrFormat("\"%016x\"", base::Hash64(answer.body));
  answer.headers = {{"ETag", etag}};
  if (state.reported) answer.headers.emplace_back("Last-Modified", HttpDate(*state.reported));
  if (IsUnchanged(request, etag, state.reported)) return {304, answer.headers, ""};
  answer.headers.emplace_back("Content-Type", type);
  return answer;
}

Answer RobotsAnswer(const Web& web, const std::string& host) {
  const auto front = web.by_address.find(host + "/");
  if (front == web.by_address.end()) return NotFound();
  const Site& site = web.SiteOf(front->second);
  if (site.robots == RobotsKind::kMissing) return NotFound();
  return PlainAnswer(200, RobotsText(web, site));
}

}  // namespace

std::string HostOf(const Request& request) {
  std::string authority = request.host;
  if (IsAbsolute(request)) {
    const size_t end = request.target.find_first_of("/?#", kSchemeBytes);
    authority = request.target.substr(kSchemeBytes, end - kSchemeBytes);
  }
  return absl::AsciiStrToLower(authority.substr(0, authority.rfind(':')));
}

Answer AnswerTo(const Web& web, StateAt states, const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    Answer answer = PlainAnswer(405, "Only GET and HEAD.\n");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  const std::string host = HostOf(request), path = PathOf(request);
  if (path == "/robots.txt") return RobotsAnswer(web, host);
  const auto found = web.by_address.find(host + path);
  if (found == web.by_address.end()) return NotFound();
  switch (web.pages[found->second].kind) {
    case PageKind::kDead:
      return NotFound();
    case PageKind::kRedirect:
      return Redirect(web, found->second);
    default:
      return Document(web, found->second, states, request);
  }
}

Answer AnswerTo(const Web& web, const Request& request) {
  return AnswerTo(
      web, [&](uint32_t page) { return FirstState(web, page); }, request);
}

}  // namespace opic::sample

// Implements a part of url/scope.h.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "url/character_class.h"
#include "url/scope.h"

namespace opic::url {
namespace {

// Lower case. Session ids of servlet engines, PHP, ASP and ColdFusion; then click ids of
// advertisers.
constexpr auto kNames = std::to_array<std::string_view>(
    {"jsessionid", "phpsessid", "sid",    "sessid", "sessionid", "session_id", "cfid",
     "cftoken",    "gclid",     "gclsrc", "dclid",  "wbraid",    "gbraid",     "fbclid",
     "msclkid",    "yclid",     "twclid", "ttclid", "igshid",    "mc_cid",     "mc_eid",
     "_ga",        "_gl",       "_hsenc", "_hsmi",  "mkt_tok",   "zanpid"});
constexpr auto kPrefixes = std::to_array<std::string_view>({"utm_", "aspsessionid"});
constexpr std::string_view kPathSession = ";jsessionid=";

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

bool IsTracking(std::string_view parameter) {
  const std::string name = LowerCase(parameter.substr(0, parameter.find('=')));
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&name](std::string_view prefix) { return name.starts_with(prefix); });
}

// `path` without ";jsessionid=..." up to the next ';' or '/'.
std::string StripPath(std::string_view path) {
  const std::string lower = LowerCase(path);
  std::string kept;
  size_t at = 0;
  while (true) {
    const size_t session = lower.find(kPathSession, at);
    kept.append(path.substr(at, session - at));
    if (session == std::string::npos) return kept;
    at = std::min(path.find_first_of(";/", session + 1), path.size());
  }
}

// `query` ("?a=1&b=2", or empty) without tracking parameters; empty when none stays.
std::string StripQuery(std::string_view query) {
  std::string kept;
  while (!query.empty()) {
    const size_t size = std::min(query.find('&', 1), query.size());  // its '?' or '&' too
    const std::string_view parameter = query.substr(1, size - 1);
    query.remove_prefix(size);
    if (!IsTracking(parameter)) kept.append(kept.empty() ? "?" : "&").append(parameter);
  }
  return kept;
}

}  // namespace

Url StripTracking(const Url& url) {
  const std::string_view query = url.path_and_query().substr(url.path().size());
  std::string text(url.origin());
  text.append(StripPath(url.path())).append(StripQuery(query));
  if (text.size() == url.text().size()) return url;
  // Parsed again: what is left of a segment may be a dot segment.
  std::optional<Url> stripped = Parse(text);
  OPIC_CHECK(stripped.has_value()) << text;
  return *std::move(stripped);
}

}  // namespace opic::url

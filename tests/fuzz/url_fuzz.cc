// opic-modules: url
// The first line is a base, the rest is resolved against it; both also stand alone.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "url/dates_in_url.h"
#include "url/page_id.h"
#include "url/scope.h"
#include "url/trap.h"
#include "url/url.h"

namespace opic::url {
namespace {

void CheckParts(const Url& url) {
  const std::string& text = url.text();
  OPIC_CHECK(text.size() <= kUrlBytesMax);
  OPIC_CHECK(url.scheme() == "http" || url.scheme() == "https") << text;
  OPIC_CHECK(!url.host().empty() && url.authority().starts_with(url.host())) << text;
  OPIC_CHECK(std::string(url.scheme()) + "://" + std::string(url.authority()) == url.origin())
      << text;
  OPIC_CHECK(std::string(url.origin()) + std::string(url.path_and_query()) == text) << text;
  OPIC_CHECK(url.path().starts_with('/') && url.path_and_query().starts_with(url.path())) << text;
  OPIC_CHECK(url.path().find_first_of("?#\\") == std::string_view::npos) << text;
  for (char c : text) OPIC_CHECK(c > 0x20 && c < 0x7f) << text;
}

// An origin breaks no rule; months are months, each told once.
void CheckTrap(const Url& url) {
  constexpr int kYear = 2026;
  const Trap trap = TrapOf(url, kYear);
  OPIC_CHECK(Name(trap).empty() == (trap == Trap::kNone)) << url.text();
  const auto origin = Parse(url.origin());
  OPIC_CHECK(origin.has_value() && TrapOf(*origin, kYear) == Trap::kNone) << url.text();
  const std::vector<Month> months = DatesIn(url, kYear).months;
  for (auto month = months.begin(); month != months.end(); ++month) {
    OPIC_CHECK(month->year <= kYear && month->month >= 1 && month->month <= 12) << url.text();
    OPIC_CHECK(std::find(months.begin(), month, *month) == month) << url.text();
  }
}

void CheckUrl(const Url& url) {
  CheckParts(url);
  const auto again = Parse(url.text());
  OPIC_CHECK(again.has_value() && *again == url) << url.text();
  OPIC_CHECK(again->host() == url.host() && again->path() == url.path()) << url.text();
  OPIC_CHECK(again->port() == url.port()) << url.text();
  const Url stripped = StripTracking(url);
  CheckParts(stripped);
  OPIC_CHECK(StripTracking(stripped) == stripped) << url.text();
  OPIC_CHECK(RegistrableDomain(RegistrableDomain(url.host())) == RegistrableDomain(url.host()))
      << url.text();
  Scope scope({.kind = ScopeKind::kDomain});
  scope.AddSeed(url);
  OPIC_CHECK(scope.Contains(url)) << url.text();
  CheckTrap(url);
}

void CheckInput(std::string_view input, const Url* base) {
  Rejected why;
  const auto url = Parse(input, base, &why);
  OPIC_CHECK(url.has_value() == (why == Rejected::kNone));
  if (url) CheckUrl(*url);
}

}  // namespace
}  // namespace opic::url

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  opic::url::CheckInput(input, nullptr);
  if (line == std::string_view::npos) return 0;
  const auto base = opic::url::Parse(input.substr(0, line));
  if (base) opic::url::CheckInput(input.substr(line + 1), &*base);
  return 0;
}

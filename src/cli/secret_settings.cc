#include "cli/secret_settings.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace opic::cli {
namespace {

// What such a header says is meant for everybody. All others may hold a key.
constexpr absl::string_view kHarmless[] = {
    "Accept", "Accept-Charset", "Accept-Language", "Cache-Control",
    "DNT",    "From",           "Pragma",          "Upgrade-Insecure-Requests",
};

std::string HeaderWithoutValue(const std::string& header) {
  const size_t colon = header.find(':');
  if (colon == header.npos) return std::string(kLeftOut);
  const std::string name = header.substr(0, colon);
  const bool harmless =
      std::any_of(std::begin(kHarmless), std::end(kHarmless),
                  [&name](absl::string_view one) { return absl::EqualsIgnoreCase(one, name); });
  return harmless ? header : absl::StrCat(name, ": ", std::string(kLeftOut));
}

std::string ProxyWithoutPassword(std::string proxy) {
  const size_t at = proxy.rfind('@'), scheme = proxy.find("://");
  const bool has_scheme = scheme != proxy.npos && proxy.find(':') == scheme;
  const size_t colon = proxy.find(':', has_scheme ? scheme + 3 : 0);
  if (at != proxy.npos && colon < at) proxy.replace(colon + 1, at - colon - 1, kLeftOut);
  return proxy;
}

}  // namespace

std::string WithoutSecret(const std::string& name, const std::string& value) {
  if (name == "header") return HeaderWithoutValue(value);
  if (name == "proxy") return ProxyWithoutPassword(value);
  return value;
}

}  // namespace opic::cli

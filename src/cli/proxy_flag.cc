#include "cli/proxy_flag.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/regular_file.h"
#include "cli/secret_settings.h"
#include "fetch/validate.h"

namespace opic::cli {
namespace {

constexpr size_t kFileMebibytesMax = 1;

absl::Status Check(const std::string& proxy, const std::string& flag) {
  if (absl::StrContains(proxy, absl::StrCat(":", std::string(kLeftOut), "@"))) {
    return absl::InvalidArgumentError(
        flag + ": the password \"...\" stands for one that was left out; put it in again");
  }
  if (fetch::IsProxy(proxy)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      flag +
      ": the value is not valid; it must be [SCHEME://][USER:PASSWORD@]HOST[:PORT], with http, "
      "https, socks4, socks4a, socks5 or socks5h for SCHEME");
}

}  // namespace

absl::StatusOr<std::string> ProxyOf(const std::string& proxy, const std::string& proxy_file) {
  if (proxy_file.empty()) {
    if (!proxy.empty()) RETURN_IF_ERROR(Check(proxy, "--proxy"));
    return proxy;
  }
  if (!proxy.empty())
    return absl::InvalidArgumentError("--proxy and --proxy-file exclude each other: give one");
  ASSIGN_OR_RETURN(std::string text,
                   ReadRegularFile(proxy_file, "--proxy-file", kFileMebibytesMax));
  absl::StripAsciiWhitespace(&text);
  RETURN_IF_ERROR(Check(text, "--proxy-file"));
  return text;
}

}  // namespace opic::cli

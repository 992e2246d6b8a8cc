#include "fetch/routes.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace opic::fetch {
namespace {

bool IsAddress(std::string_view text) {
  in6_addr room;
  if (text.starts_with('[') && text.ends_with(']')) {
    return inet_pton(AF_INET6, std::string(text.substr(1, text.size() - 2)).c_str(), &room) == 1;
  }
  return inet_pton(AF_INET, std::string(text).c_str(), &room) == 1;
}

struct Target {
  std::string_view address, port;
};

// Where the only route leads all hosts, whatever their port.
std::optional<Target> TargetOfAll(const std::vector<std::string>& connect_to) {
  if (connect_to.size() != 1 || !connect_to[0].starts_with("::")) return std::nullopt;
  const std::string_view to = std::string_view(connect_to[0]).substr(2);
  const size_t colon = to.rfind(':');
  if (colon == to.npos || colon + 1 == to.size()) return std::nullopt;
  const Target target{to.substr(0, colon), to.substr(colon + 1)};
  return IsAddress(target.address) ? std::optional(target) : std::nullopt;
}

}  // namespace

Routes::Routes(const Options& options) {
  const std::optional<Target> target = TargetOfAll(options.connect_to);
  if (target && options.proxy.empty()) {
    connect_to_ = MakeList({absl::StrCat(":::", std::string(target->port))});
    resolve_ = MakeList(
        {absl::StrCat("*:", std::string(target->port), ":", std::string(target->address))});
  } else {
    connect_to_ = MakeList(options.connect_to);
  }
}

void Routes::Apply(CURL* easy) const {
  Set(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  Set(easy, CURLOPT_RESOLVE, resolve_.get());
}

}  // namespace opic::fetch

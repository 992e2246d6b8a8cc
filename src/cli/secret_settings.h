// Settings that may hold a secret, as they may be shown: --header and --proxy.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <string_view>

namespace opic::cli {

// What stands for a secret that was left out.
inline constexpr std::string_view kLeftOut = "...";

// A value of the setting `name` (without dashes) to be shown: of --header the value is left out,
// but for a few headers that are never secret ("X-Key: ..."), of --proxy the password
// ("http://user:...@host:1"). All other values are as they are. It differs from `value` exactly
// when something was left out.
std::string WithoutSecret(const std::string& name, const std::string& value);

}  // namespace opic::cli

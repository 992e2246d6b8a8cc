// --header, --auth-file and --insecure: headers of all requests, credentials of certain hosts, and
// hosts whose certificate is not checked.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fetch/host_access.h"

namespace opic::cli {

inline constexpr size_t kHeadersMax = 64;
inline constexpr size_t kHeaderBytesMax = 16 << 10;  // of all together

// Lines "Name: value", as they are sent. InvalidArgument: they are above these limits, a line is
// not of this form, or --header may not set its name; it tells which line, by its number from 1,
// and never shows the value.
absl::StatusOr<std::vector<std::string>> ParseHeaders(const std::vector<std::string>& lines);

// The credentials of `auth_file`, a line a host: "ORIGIN basic USER PASSWORD" or "ORIGIN bearer
// TOKEN", where '#' begins a line of comment. An origin is "https://host", "http://host:8080" or
// "host", for https; `insecure` is a list of origins, too, of https. InvalidArgument names the
// line, and never shows a secret in it; or the file cannot be read (cli/auth_file.h).
absl::StatusOr<fetch::HostAccessMap> ReadHostAccess(const std::string& auth_file,
                                                    const std::vector<std::string>& insecure);

}  // namespace opic::cli

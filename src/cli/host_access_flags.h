// What the flags say that requests carry besides, and how certain hosts are asked: --header,
// --auth-file, --insecure.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fetch/host_access.h"

namespace opic::cli {

// Lines "Name: value", as they are sent. InvalidArgument: one is none, or its name is not for
// --header.
absl::StatusOr<std::vector<std::string>> ParseHeaders(const std::vector<std::string>& lines);

// The credentials of `auth_file`, a line a host: "ORIGIN basic USER PASSWORD" or "ORIGIN bearer
// TOKEN", where '#' begins a line of comment. An origin is "https://host", "http://host:8080" or
// "host", for https; `insecure` has such, too. InvalidArgument names the line, and never says what
// is secret in it; NotFound: the file cannot be read.
absl::StatusOr<fetch::HostAccessMap> ReadHostAccess(const std::string& auth_file,
                                                    const std::vector<std::string>& insecure);

}  // namespace opic::cli

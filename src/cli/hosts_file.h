// The file of --hosts-file: settings of hosts and domains, one of them a line, in the words of
// `opic control block` and `opic control host`.
//
//   # the calendar makes pages without end
//   host   www.example.org   delay 5s  pages 20000
//   domain example.com       pages 50000  bytes 2G  depth 5
//   host   private.test      block
//   host   ours.test         parallel 8
//   group  shops             delay 2s  pages 10000
//   host   shop.example.net  group shops
//
// Comments, blank lines, a byte order mark and the line ends of Windows are as in a seed file
// (cli/seed_file.h).
//
// Thread safety: pure, but for the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "node/hosts_file.h"

namespace opic::cli {

inline constexpr size_t kHostsFileMibMax = 8;
inline constexpr size_t kHostsLineBytesMax = 64 << 10;

// `text` of the file at `path`, which it does not read. InvalidArgument names the first wrong line
// by its number from 1, its value, and what to write instead; a group that is named has no line; or
// there are more lines than rules that a node keeps (schedule::kHostRulesMax).
absl::StatusOr<node::HostsFile> ParseHostsFile(std::string_view text, const std::string& path);
// InvalidArgument as well: it is no regular file, may not be opened, or is larger than
// kHostsFileMibMax MiB; NotFound.
absl::StatusOr<node::HostsFile> ReadHostsFile(const std::string& path);

}  // namespace opic::cli

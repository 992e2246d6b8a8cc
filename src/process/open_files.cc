#include "process/open_files.h"

#include <sys/resource.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace opic::process {

uint64_t OpenFilesNeeded(int in_flight, uint64_t peers) {
  return kFilesPerFetch * static_cast<uint64_t>(std::max(in_flight, 0)) + kFilesPerPeer * peers +
         kFilesBeside;
}

uint64_t FetchesWithinOpenFiles(uint64_t peers, uint64_t nodes) {
  rlimit limit = {};
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (!known) return UINT64_MAX;
  const uint64_t least = OpenFilesNeeded(1, peers), share = limit.rlim_cur / nodes;
  return share < least ? 1 : 1 + (share - least) / kFilesPerFetch;
}

absl::Status RaiseOpenFiles(int in_flight, uint64_t peers, uint64_t nodes) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return absl::OkStatus();
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return absl::OkStatus();
  const uint64_t needed = nodes * OpenFilesNeeded(in_flight, peers);
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed) return absl::OkStatus();
  const uint64_t least = nodes * OpenFilesNeeded(1, peers);
  std::string instead;
  if (limit.rlim_cur >= least) {
    instead = absl::StrCat(", or use --in-flight ", FetchesWithinOpenFiles(peers, nodes));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--in-flight ", in_flight, " needs up to ", needed, " open files, and this process may have ",
      limit.rlim_cur, ": raise the limit (ulimit -Hn; of a service LimitNOFILE)", instead));
}

}  // namespace opic::process

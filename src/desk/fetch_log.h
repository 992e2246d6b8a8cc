// One JSON line a fetch, appended to a file: time, URL, status or error, bytes, duration, links,
// parser.
//
// Best effort: a line that cannot be written is counted, never waited for.
//
// Thread safety: synchronised inside.
#pragma once

#include <atomic>
#include <cstdio>
#include <string>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "fetch/fetcher.h"

namespace opic::desk {

struct FetchLine {
  absl::Time at;
  std::string url;
  std::string outcome;  // "fetched", "redirect", ..., "retry", "robots"
  int status = 0;
  std::string error, detail;
  uint64_t wire_bytes = 0, body_bytes = 0;
  absl::Duration duration;
  size_t links = 0;
  std::string content_type, address;
};
// What the answer tells; URL, outcome and links are the caller's.
FetchLine LineOf(const fetch::Response& response);

class FetchLog {
 public:
  explicit FetchLog(const std::string& path);
  ~FetchLog();
  void Append(const FetchLine& line);
  uint64_t lost() const { return lost_; }

 private:
  absl::Mutex mu_;
  std::FILE* file_ ABSL_GUARDED_BY(mu_);
  std::atomic<uint64_t> lost_ = 0;
};

// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

}  // namespace opic::desk

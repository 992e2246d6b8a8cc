// One JSON line a fetch, or a page that failed without one, appended to a file
// (docs/formats/fetch_log.md).
//
// Best effort: a line that cannot be written is counted, never waited for. A line of a visit is
// written when the ledger has recorded it, with the importance that the page then had; a process
// that is killed in between leaves none, though the page is not fetched again.
//
// Thread safety: synchronised inside.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "desk/left_out.h"
#include "fetch/fetcher.h"
#include "links/links.h"

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
  // What follows is in the line only when it says something.
  std::string robots;  // of a request for robots.txt: "rules", "none", "redirect", "failed"
  std::vector<std::string> left_out;       // LeftOut, by names
  uint32_t cookies = 0;                    // that its host has after this answer
  std::optional<uint64_t> declared_bytes;  // of a body that was not downloaded
  uint32_t other_scheme = 0, too_long = 0, malformed = 0, nofollow = 0;  // links left out
  bool requested = true;          // false: the page failed without a request
  std::optional<uint32_t> shard;  // of a page
  std::optional<uint32_t> depth;  // of a page: links followed from a seed
  uint64_t digest = 0;            // of what was read; 0: none
  std::string referrer;           // the page whose link it was found by; empty: not known
};
// What the answer tells; URL, outcome and links are the caller's.
FetchLine LineOf(const fetch::Response& response);
void AddLeftOut(LeftOut left_out, const links::Result& document, FetchLine& line);

// A line but for its end, to which importance is added later.
using BegunLine = std::string;
BegunLine Begin(const FetchLine& line);

// A line of a visit that the ledger has recorded.
struct RecordedLine {
  BegunLine begun;
  std::optional<double> importance;  // of the page, share of 1, before it paid its links
};

class FetchLog {
 public:
  struct Limits {
    uint64_t bytes_max = 0;  // of the file, which is then moved to PATH.1 and begun anew; 0: none
    int older_files = 0;     // PATH.1, ... of which the last is dropped
  };
  explicit FetchLog(const std::string& path, const Limits& limits);
  explicit FetchLog(const std::string& path) : FetchLog(path, Limits{}) {}
  ~FetchLog();
  // A file that was moved away or removed is begun anew within a second. Half a line at the end of
  // one is cut off when it is opened.
  void Append(const FetchLine& line);
  // In one write.
  void Append(absl::Span<const RecordedLine> lines);
  // Lines that could not be written. The log tells when that begins, and when it has ended.
  uint64_t lost() const { return lost_; }

 private:
  void Open() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void CutHalfLine() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Close() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool IsStillThere() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Rotate() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void MakeReady(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Write(const std::string& text, uint64_t lines);
  void Lose(uint64_t lines) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string path_;
  const Limits limits_;
  absl::Mutex mu_;
  std::FILE* file_ ABSL_GUARDED_BY(mu_);
  uint64_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  ino_t inode_ ABSL_GUARDED_BY(mu_) = 0;
  bool regular_ ABSL_GUARDED_BY(mu_) = false;  // not a device, which has no size
  absl::Time look_again_ ABSL_GUARDED_BY(mu_) = absl::InfinitePast();
  int open_error_ ABSL_GUARDED_BY(mu_) = 0;          // of a file that is not open
  uint64_t lost_in_a_row_ ABSL_GUARDED_BY(mu_) = 0;  // since a line was written
  std::atomic<uint64_t> lost_ = 0;
};

}  // namespace opic::desk

// A program run beside a test, killed with it at the latest.
//
//   Process crawl({"/build/opic", "crawl", "http://..."}, {.output = folder + "/crawl.out"});
//   EXPECT_EQ(crawl.Wait(absl::Seconds(60)), 0) << crawl.output();
//
// Thread safety: confined to one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace opic::support {

class Process {
 public:
  struct Options {
    std::string output;  // file of its standard output
    std::string errors;  // file of its standard error; empty: `output`
    // NAME=VALUE, beside the test's own without its OPIC_...: those are settings of the programs.
    std::vector<std::string> environment;
    uint64_t file_bytes_max = 0;  // no file grows above it, writes fail with EFBIG; 0: no limit
  };
  // Starts `words`[0], a path.
  Process(std::vector<std::string> words, Options options);
  ~Process();  // kills it
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Signal(int signal) const;
  // From now on no file of it grows above this. REQUIRES: it was started with a file_bytes_max.
  void LimitFiles(uint64_t bytes) const;
  // Its exit code, or 128 + the number of the signal that ended it. Nothing: still running after
  // `patience`.
  std::optional<int> Wait(absl::Duration patience);
  // kill -9, and waits.
  void Kill();
  bool running() { return !Wait(absl::ZeroDuration()).has_value(); }
  // What it has said so far.
  std::string output() const;
  std::string errors() const;  // empty without a file of its own
  absl::Time started() const { return started_; }

 private:
  const Options options_;
  const absl::Time started_;
  pid_t pid_ = -1;
  std::optional<int> code_;
};

// Looks every few milliseconds. False: it did not become true within `patience`.
template <typename Condition>
bool Eventually(absl::Duration patience, const Condition& condition);

void ShortPause();  // between two looks
absl::Time WallTime();

template <typename Condition>
bool Eventually(absl::Duration patience, const Condition& condition) {
  // Not by the wall clock, which may be set meanwhile.
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(patience);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ShortPause();
  }
  return true;
}

}  // namespace opic::support

// A crawl of the sample web by the real programs: the web is served by the test, which sees every
// request, and the crawl lives in a data folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/rng.h"
#include "sample/sample_web.h"
#include "tests/support/process.h"

namespace opic::scenarios {

using Words = std::vector<std::string>;

// A folder of its own for the running test, empty at first.
std::string FreshFolder();
std::string Program(const std::string& name);
// A program run to its end.
struct Said {
  int code = -1;  // -1: it did not end in time
  std::string output;
  std::string answer;  // of RunProgram: the standard output alone, for programs to read
};
// For programs started from here on: a sanitizer keeps what was freed for a while, 256 MB of it
// unless told otherwise. That is not the program's memory.
void KeepLittleOfWhatIsFreed();

// Its output is without what it said of nodes that it waited for for a while.
Said RunProgram(const std::string& program, Words words, support::Process::Options options = {});
// The JSON of its answer. Discarded, and the test fails: it is none.
nlohmann::json JsonOf(const Said& said);

class SampleCrawl {
 public:
  static constexpr absl::Duration kPatience = absl::Seconds(100);
  static constexpr int kInFlight = 16;

  // Each host is asked at most once in `delay`.
  explicit SampleCrawl(absl::Duration delay = absl::Milliseconds(10), uint32_t pages = 600,
                       uint32_t hosts = 20);
  // `clock`, the web's, must outlive it.
  SampleCrawl(absl::Duration delay, const sample::Options& options, base::Clock& clock);

  sample::SampleWeb& web() const { return *web_; }
  absl::Duration delay() const { return delay_; }
  const std::string& folder() const { return folder_; }  // of the test
  std::string data() const { return folder_ + "/data"; }
  std::string scope = "any";

  // The words of `opic crawl` with the seed and what leads to the web; `more` come last.
  Words CrawlWords(const Words& more = {}) const;
  // Goes on with the crawl, or begins it.
  std::unique_ptr<support::Process> Start(const Words& more = {},
                                          support::Process::Options options = {});
  // Starts, and waits for its end.
  Said Crawl(const Words& more = {}, support::Process::Options options = {});

  // Answers of `opic COMMAND --data ... --json`; the test fails unless the exit code is 0.
  nlohmann::json Ask(const std::string& command, const Words& more = {}) const;
  // The calls of the audit trail that ended well, each with its holder: "Publish by folder".
  std::vector<std::string> ActsInTrail() const;
  // `opic audit` finds every unit of cash.
  void ExpectAuditIsExact() const;

  // Requests for pages, not robots.txt, by URL.
  std::map<std::string, int> PageHits() const;
  size_t PageHitCount() const;
  bool AwaitPageHits(size_t count) const;
  // Every page that can be reached was fetched, and nothing else; each exactly once unless
  // `repeats_max` allows for more in all.
  void ExpectReachableFetched(int repeats_max = 0) const;
  // No host was asked while it was answering, or too soon after.
  void ExpectPolite() const;
  // No host was asked before `since` + the delay by requests after `since` (a monotonic time).
  void ExpectHostsWaitedSince(int64_t since_us) const;

 private:
  const absl::Duration delay_;
  const std::string folder_;
  std::unique_ptr<sample::SampleWeb> web_;
  int runs_ = 0;
};

// Draws by the seed of this run of the tests, which it prints.
base::Rng RandomOfRun();

// Of the clock of sample::Hit.
int64_t MonotonicMicros();

}  // namespace opic::scenarios

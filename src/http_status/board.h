// What a process tells of itself over HTTP. Its main loop writes, the server's thread reads: a
// question costs the main loop nothing, however many ask.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace opic::http_status {

// Why a process is not ready: `code` for programs, which never changes, and a sentence for people.
struct Reason {
  std::string code, sentence;
};

struct StatusReport {
  std::string metrics;            // in the text format of Prometheus
  std::vector<Reason> not_ready;  // empty: it is ready
};

// Thread safety: synchronised inside.
class Board {
 public:
  static constexpr absl::Duration kReportEvery = absl::Seconds(1);
  // A main loop that has been silent for longer is taken for dead.
  static constexpr absl::Duration kSilenceMax = absl::Seconds(30);

  // It is starting, until the first Beat. `clock` must outlive it.
  explicit Board(base::Clock& clock) : clock_(clock) {}

  // The main loop turns; from now on it has to, again and again. True: a report is due.
  bool Beat();
  void Tell(StatusReport report);
  // The main loop does not turn, and that is meant: it starts, stops, or waits to be stopped.
  void Rest(Reason why);

  std::string Metrics() const;             // of the last report
  std::optional<Reason> NotAlive() const;  // nothing: it is
  std::vector<Reason> NotReady() const;    // empty: it is

 private:
  std::optional<Reason> NotAliveLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  base::Clock& clock_;
  mutable absl::Mutex mu_;
  std::optional<Reason> rests_ ABSL_GUARDED_BY(mu_) = Reason{
      "starting", "it is starting: it recovers its data folder"};
  absl::Time beat_ ABSL_GUARDED_BY(mu_);
  absl::Time reported_ ABSL_GUARDED_BY(mu_) = absl::InfinitePast();
  StatusReport report_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::http_status

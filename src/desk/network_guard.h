// Sees to it that what is this node's own loss of network is held against no host: keeps the
// failures that may be such until NetworkWatch knows whose they are, and knocks at hosts meanwhile.
//
// What is kept has an order each that the scheduler waits for, so there is not more of it than
// fetches at once; above kKeptMax it remains unknown whose failure it is.
//
// Thread safety: synchronised inside. A thread of its own knocks, and settles what was kept.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/bell.h"
#include "base/clock.h"
#include "desk/network_watch.h"
#include "fetch/response.h"

namespace opic::desk {

class NetworkGuard {
 public:
  static constexpr size_t kKeptMax = 4096;
  struct Callbacks {
    // Blocks; ends soon when `stop` is set.
    std::function<fetch::Knocked(const Place&, const std::atomic<bool>& stop)> knock;
    std::function<bool(const std::string& host)> may_knock;
    // It was lost, or is back. On the guard's thread; may block.
    std::function<void()> changed;
  };
  NetworkGuard(const NetworkLimits& limits, base::Clock& clock, Callbacks callbacks);
  ~NetworkGuard();  // as Stop()

  // Whose failure it is, if it is one.
  enum class Whose : uint8_t {
    kHosts,
    kNobodys,  // there was no network
    kUnknown,  // and nobody waits until it is known
  };
  // What the answer to a request to `place` tells. `settle` is told whose it is, once: here, or
  // later on the guard's thread; never after Stop().
  void Take(const Place& place, const fetch::Response& response, std::function<void(Whose)> settle);
  // Whose failure what is kept is remains unknown: the crawl is to rest now.
  void LetGo();
  bool lost() const { return lost_; }
  // Since when, by the wall clock, and why; nothing: it is not lost.
  std::optional<NetworkWatch::Loss> loss() const;
  void Stop();  // idempotent; what is kept is dropped

 private:
  struct Kept {
    absl::Time begun, ended;
    std::function<void(Whose)> settle;
  };
  using Settled = std::vector<std::pair<std::function<void(Whose)>, Whose>>;
  void Run();
  Settled TakeSettled() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Knock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool NoteChange() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Time OnWall(absl::Time steady) const { return clock_.Now() - (clock_.Steady() - steady); }

  const NetworkLimits limits_;
  base::Clock& clock_;
  const Callbacks callbacks_;
  std::atomic<bool> lost_ = false, stopped_ = false;
  mutable absl::Mutex mu_;
  base::Bell changed_;
  NetworkWatch watch_ ABSL_GUARDED_BY(mu_);
  std::vector<Kept> kept_ ABSL_GUARDED_BY(mu_);
  absl::Time lost_since_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;  // last: it uses all the others
};

}  // namespace opic::desk

// Restating a running node (ledger push; ledger/restating.h): the thread that reads all rows as of
// the cut, and later corrects what is off, some pages a second.
//
// It keeps a copy of the cells until it has corrected them. Who drives it may be killed: when
// nobody has asked for anything in a while, and nothing is being read or corrected, it is given up.
//
// Thread safety: synchronised inside; the ledger is used on its own thread only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "ledger/ledger.h"

namespace opic::node {

// How far restating a node has come, and what it found.
struct RestatedPart {
  uint64_t pages = 0, links = 0;
  uint64_t off = 0;        // pages whose cash is not what it should be
  double largest = 0;      // by how much at most, in bases of a page
  double reach = 0;        // what all of that can do to H, added up over pages, at most: in units
  double flow = 0;         // H of all pages and the cash of unread ones, in units
  uint64_t corrected = 0;  // pages, so far
  uint64_t elsewhere = 0;  // of these, pages that have moved away since: left as they are
  bool done = false;
};

// Other nodes may have so many more pages that all of this is spent on theirs: their reading, and
// the claims that are brought from each to each.
inline constexpr absl::Duration kRestatingPatience = absl::Hours(2);

class RunningRestatement {
 public:
  // Runs work on the ledger's thread, and waits for it.
  using OnLedger = std::function<absl::Status(std::function<void()>)>;
  // `given_up`: the one of that epoch is, for whoever else keeps it. On a thread of this object.
  // `clock` must outlive it.
  RunningRestatement(OnLedger on_ledger, base::Clock& clock,
                     std::function<void(uint64_t epoch)> given_up,
                     absl::Duration patience = kRestatingPatience)
      : on_ledger_(std::move(on_ledger)),
        clock_(clock),
        given_up_(std::move(given_up)),
        patience_(patience) {}
  ~RunningRestatement();

  // A new one; the one before is dropped. It reads from its cut on.
  void Prepare(std::shared_ptr<ledger::Restating> restating);
  // The one of `epoch`. FailedPrecondition: there is none, or it was spoiled; DataLoss: what it
  // read is damaged.
  absl::StatusOr<std::shared_ptr<ledger::Restating>> At(uint64_t epoch);
  // All claims were added: what is off. With `correct` it is corrected, `per_second` pages a
  // second; to be asked again until it is done.
  absl::StatusOr<RestatedPart> End(uint64_t epoch, ledger::Ledger& ledger, bool correct,
                                   double per_second);
  // Drops the one of `epoch`. False: there is another one, or none.
  bool Forget(uint64_t epoch);
  void Stop();  // idempotent

 private:
  using StopFlag = std::shared_ptr<std::atomic<bool>>;  // of one thread

  absl::StatusOr<std::shared_ptr<ledger::Restating>> AtLocked(uint64_t epoch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Watch();
  void GiveUpIdle();
  bool IsIdle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The epoch of what was dropped because nobody asks for it.
  std::optional<uint64_t> DropIdle();
  // The thread is to be joined, without the lock.
  std::thread Drop() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Read(ledger::Restating& restating, const std::atomic<bool>& stop);
  void Correct(uint64_t epoch, ledger::Ledger& ledger, std::vector<ledger::Drift> drifts,
               double per_second, const std::atomic<bool>& stop);

  const OnLedger on_ledger_;
  base::Clock& clock_;
  const std::function<void(uint64_t)> given_up_;
  const absl::Duration patience_;
  absl::Mutex mu_;
  StopFlag stop_ ABSL_GUARDED_BY(mu_) = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<ledger::Restating> restating_ ABSL_GUARDED_BY(mu_);
  std::optional<uint64_t> corrected_ ABSL_GUARDED_BY(mu_);  // the epoch, once all is
  absl::Time asked_ ABSL_GUARDED_BY(mu_);                   // for anything, last
  bool reading_ ABSL_GUARDED_BY(mu_) = false, correcting_ ABSL_GUARDED_BY(mu_) = false;
  absl::Status failed_ ABSL_GUARDED_BY(mu_);
  RestatedPart part_ ABSL_GUARDED_BY(mu_);
  std::thread thread_ ABSL_GUARDED_BY(mu_);

  absl::Mutex preparing_mu_;  // before mu_: of two at once one drops the other's, whole
  std::mutex watch_mu_;
  std::condition_variable closing_;
  bool closed_ = false;  // under watch_mu_
  std::thread watch_;    // gives up what is idle; begun with the first one
};

}  // namespace opic::node

// Restating a running node (ledger push; ledger/restating.h): the thread that reads all rows as of
// the cut, and later corrects what is off, some pages a second.
//
// Thread safety: synchronised inside; the ledger is used on its own thread only.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
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

class RunningRestatement {
 public:
  // Runs work on the ledger's thread, and waits for it.
  using OnLedger = std::function<absl::Status(std::function<void()>)>;
  explicit RunningRestatement(OnLedger on_ledger) : on_ledger_(std::move(on_ledger)) {}
  ~RunningRestatement() { Stop(); }

  // A new one; the one before is dropped. It reads from its cut on.
  void Prepare(std::shared_ptr<ledger::Restating> restating);
  // The one of `epoch`. FailedPrecondition: there is none, or it was spoiled; DataLoss: what it read
  // is damaged.
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

  void Read(ledger::Restating& restating, const std::atomic<bool>& stop);
  void Correct(ledger::Ledger& ledger, std::vector<ledger::Drift> drifts, double per_second,
               const std::atomic<bool>& stop);

  const OnLedger on_ledger_;
  absl::Mutex mu_;
  StopFlag stop_ ABSL_GUARDED_BY(mu_) = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<ledger::Restating> restating_ ABSL_GUARDED_BY(mu_);
  bool correcting_ ABSL_GUARDED_BY(mu_) = false;
  absl::Status failed_ ABSL_GUARDED_BY(mu_);
  RestatedPart part_ ABSL_GUARDED_BY(mu_);
  std::thread thread_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::node

#include "node/running_restatement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "base/steady_wait.h"
#include "desk/store_failure.h"

namespace opic::node {
namespace {

constexpr size_t kCorrectedAtOnce = 4096;  // pages in one record
constexpr absl::Duration kNap = absl::Milliseconds(20);
// Between two looks whether the cut was taken. It follows in a moment, or never.
constexpr absl::Duration kFirstLook = absl::Milliseconds(1), kLongestLook = absl::Milliseconds(200);

RestatedPart Sum(const ledger::Restating& restating, const std::vector<ledger::Drift>& drifts,
                 const ledger::Charter& charter) {
  RestatedPart part;
  part.pages = restating.pages();
  part.links = restating.links();
  part.off = drifts.size();
  part.flow = static_cast<double>(restating.flow());
  for (const ledger::Drift& drift : drifts) {
    const double amount = std::abs(static_cast<double>(drift.amount));
    part.reach += amount / charter.epsilon.share();
    part.largest = std::max(part.largest, amount / static_cast<double>(charter.base.units()));
  }
  return part;
}

}  // namespace

RunningRestatement::~RunningRestatement() {
  {
    const std::lock_guard lock(watch_mu_);
    closed_ = true;
  }
  closing_.notify_all();
  Stop();
  if (watch_.joinable()) watch_.join();
}

void RunningRestatement::Watch() {
  const std::lock_guard lock(watch_mu_);
  if (!closed_ && !watch_.joinable()) watch_ = std::thread([this] { GiveUpIdle(); });
}

void RunningRestatement::GiveUpIdle() {
  std::unique_lock<std::mutex> lock(watch_mu_);
  while (!base::AwaitSteadily(closing_, lock, patience_ / 16, [this] { return closed_; })) {
    lock.unlock();
    if (const std::optional<uint64_t> epoch = DropIdle()) {
      base::LogWarning(
          "restating that was begun here is given up: nobody has gone on with it for {}. Its "
          "client was stopped, or has lost its way; `opic restate` begins anew",
          absl::FormatDuration(patience_));
      given_up_(*epoch);
    }
    lock.lock();
  }
}

bool RunningRestatement::IsIdle() const {
  const bool works = reading_ || (correcting_ && failed_.ok());
  return restating_ && !works && clock_.Steady() > asked_ + patience_;
}

std::optional<uint64_t> RunningRestatement::DropIdle() {
  uint64_t epoch;
  std::thread thread;
  {
    const absl::MutexLock lock(&mu_);
    if (!IsIdle()) return std::nullopt;
    epoch = restating_->epoch();
    thread = Drop();
  }
  if (thread.joinable()) thread.join();
  return epoch;
}

std::thread RunningRestatement::Drop() {
  *std::exchange(stop_, std::make_shared<std::atomic<bool>>(false)) = true;
  restating_.reset();
  corrected_.reset();
  return std::move(thread_);
}

void RunningRestatement::Stop() {
  std::thread thread;
  {
    const absl::MutexLock lock(&mu_);
    thread = Drop();
  }
  if (thread.joinable()) thread.join();
}

bool RunningRestatement::Forget(uint64_t epoch) {
  std::thread thread;
  {
    const absl::MutexLock lock(&mu_);
    const bool known = corrected_ == epoch || (restating_ && restating_->epoch() == epoch);
    if (!known) return false;
    thread = Drop();
  }
  if (thread.joinable()) thread.join();
  return true;
}

void RunningRestatement::Prepare(std::shared_ptr<ledger::Restating> restating) {
  const absl::MutexLock preparing(&preparing_mu_);
  Stop();
  Watch();
  const absl::MutexLock lock(&mu_);
  restating_ = std::move(restating);
  correcting_ = false;
  asked_ = clock_.Steady();
  reading_ = false;
  failed_ = absl::OkStatus();
  part_ = RestatedPart();
  thread_ = std::thread([this, restating = restating_, stop = stop_] { Read(*restating, *stop); });
}

// At once, so that the view of the rows is not kept for longer than need be, and all nodes of a
// cluster read at the same time.
void RunningRestatement::Read(ledger::Restating& restating, const std::atomic<bool>& stop) {
  for (absl::Duration look = kFirstLook; !restating.begun() && !stop;
       look = std::min(2 * look, kLongestLook))
    absl::SleepFor(look);
  {
    const absl::MutexLock lock(&mu_);
    if (stop) return;
    reading_ = true;
  }
  const absl::Status status = restating.Read(stop);
  const absl::MutexLock lock(&mu_);
  if (stop) return;
  reading_ = false;
  asked_ = clock_.Steady();
  failed_ = status;
}

absl::StatusOr<std::shared_ptr<ledger::Restating>> RunningRestatement::At(uint64_t epoch) {
  const absl::MutexLock lock(&mu_);
  return AtLocked(epoch);
}

absl::StatusOr<std::shared_ptr<ledger::Restating>> RunningRestatement::AtLocked(uint64_t epoch) {
  if (!restating_ || restating_->epoch() != epoch) {
    return absl::FailedPreconditionError(
        "the node was started again, another restating begun, or nobody went on with this one");
  }
  asked_ = clock_.Steady();
  RETURN_IF_ERROR(failed_);
  return restating_;
}

absl::StatusOr<RestatedPart> RunningRestatement::End(uint64_t epoch, ledger::Ledger& ledger,
                                                     bool correct, double per_second) {
  std::shared_ptr<ledger::Restating> restating;
  {
    const absl::MutexLock lock(&mu_);
    if (corrected_ == epoch) return part_;
    ASSIGN_OR_RETURN(restating, AtLocked(epoch));
    if (correcting_) return part_;
  }
  ASSIGN_OR_RETURN(std::vector<ledger::Drift> drifts, restating->Drifts());
  std::thread reader;  // it has read all, and ends
  {
    const absl::MutexLock lock(&mu_);
    if (correcting_) return part_;
    if (restating_ != restating) return absl::FailedPreconditionError("it was given up meanwhile");
    part_ = Sum(*restating, drifts, ledger.charter());
    part_.done = !correct;
    if (!correct) return part_;
    correcting_ = true;
    reader = std::move(thread_);
  }
  if (reader.joinable()) reader.join();
  const absl::MutexLock lock(&mu_);
  if (restating_ != restating) return absl::FailedPreconditionError("it was given up meanwhile");
  thread_ = std::thread(
      [this, epoch, &ledger, drifts = std::move(drifts), per_second, stop = stop_]() mutable {
        Correct(epoch, ledger, std::move(drifts), per_second, *stop);
      });
  return part_;
}

void RunningRestatement::Correct(uint64_t epoch, ledger::Ledger& ledger,
                                 std::vector<ledger::Drift> drifts, double per_second,
                                 const std::atomic<bool>& stop) {
  base::Clock& clock = base::RealClock::Get();
  const absl::Time begin = clock.Steady();
  size_t done = 0, elsewhere = 0;
  while (!stop) {
    const double allowed =
        per_second > 0 ? per_second * absl::ToDoubleSeconds(clock.Steady() - begin) + 1 : 1e18;
    const auto some = static_cast<size_t>(
        std::clamp(allowed - static_cast<double>(done), 0.0,
                   static_cast<double>(std::min(drifts.size() - done, kCorrectedAtOnce))));
    if (some == 0 && done < drifts.size()) {
      absl::SleepFor(kNap);
      continue;
    }
    absl::Status committed;
    const bool last = done + some == drifts.size();
    const absl::Status status = on_ledger_([&] {
      if (stop) return;  // another one may have begun meanwhile
      elsewhere += ledger.Correct(absl::MakeSpan(drifts).subspan(done, some));
      if (last && elsewhere == 0) ledger.restating().Restated();
      committed = ledger.Commit().status();
      if (last) ledger.restating().Forget(epoch);
      desk::EndOnStoreFailure("the ledger", committed);
    });
    done += some;
    const absl::MutexLock lock(&mu_);
    if (stop) return;
    failed_.Update(status);
    failed_.Update(committed);
    part_.corrected = done;
    part_.elsewhere = elsewhere;
    part_.done = last && failed_.ok();
    if (!part_.done && failed_.ok()) continue;
    asked_ = clock_.Steady();
    if (!part_.done) return;
    corrected_ = epoch;
    restating_.reset();  // its copy of the cells
    return;
  }
}

}  // namespace opic::node

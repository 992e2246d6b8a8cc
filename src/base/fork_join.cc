#include "base/fork_join.h"

#include <pthread.h>
#include <time.h>

namespace opic::base {

namespace {

// How long to look whether the helper has finished its piece before sleeping: to sleep and be woken
// takes longer than most pieces.
constexpr absl::Duration kLooking = absl::Microseconds(20);

absl::Duration Read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return absl::DurationFromTimespec(time);
}

// How long this thread has not run, by a zero of its own.
absl::Duration StoodStill() { return Read(CLOCK_MONOTONIC) - Read(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace

ForkJoin::ForkJoin(const char* name) : thread_([this, name] { Help(name); }) {}

ForkJoin::~ForkJoin() {
  {
    const std::lock_guard<std::mutex> lock(mu_);
    ended_ = true;
  }
  called_.notify_one();
  thread_.join();
}

void ForkJoin::Run(size_t pieces, Work work) {
  if (alone_ > 0) {
    --alone_;
    for (size_t piece = 0; piece < pieces; ++piece) work(Worker::kOwner, piece);
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mu_);
    work_ = &work;
    next_ = 0;
    pieces_ = pieces;
  }
  called_.notify_one();
  DoPieces(Worker::kOwner, work);
  AwaitHelper();
}

absl::Duration ForkJoin::helper_cpu() {
  clockid_t clock;
  if (pthread_getcpuclockid(thread_.native_handle(), &clock) != 0) return absl::ZeroDuration();
  return Read(clock);
}

void ForkJoin::DoPieces(Worker worker, const Work& work) {
  for (size_t piece = next_++; piece < pieces_; piece = next_++) work(worker, piece);
}

void ForkJoin::AwaitHelper() {
  const absl::Duration until = Read(CLOCK_MONOTONIC) + kLooking;
  while (helping_ && Read(CLOCK_MONOTONIC) < until) {
  }
  std::unique_lock<std::mutex> lock(mu_);
  work_ = nullptr;  // a helper that has not come yet need not
  rested_.wait(lock, [this] { return !helping_; });
  if (put_aside_) alone_ = kCallsAlone;
  put_aside_ = false;
}

void ForkJoin::Help(const char* name) {
  pthread_setname_np(pthread_self(), name);
  std::unique_lock<std::mutex> lock(mu_);
  while (true) {
    called_.wait(lock, [this] { return ended_ || work_ != nullptr; });
    if (ended_) return;
    const Work& work = *work_;
    work_ = nullptr;
    helping_ = true;
    lock.unlock();
    const absl::Duration stood = StoodStill();
    DoPieces(Worker::kHelper, work);
    const bool put_aside = StoodStill() - stood > kAsideMax;
    lock.lock();
    helping_ = false;
    put_aside_ = put_aside;
    rested_.notify_one();
  }
}

}  // namespace opic::base

#include "base/helper_thread.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>

namespace opic::base {

namespace {

// How often to look whether the helper has finished its piece before sleeping: to sleep and be
// woken takes longer than most pieces.
constexpr int kLooks = 64;

}  // namespace

HelperThread::HelperThread(const char* name) : thread_([this, name] { Help(name); }) {}

HelperThread::~HelperThread() {
  {
    const std::lock_guard<std::mutex> lock(mu_);
    ended_ = true;
  }
  called_.notify_one();
  thread_.join();
}

void HelperThread::Share(size_t pieces, Work work) {
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
  NoteWait(AwaitHelper());
}

absl::Duration HelperThread::cpu() {
  clockid_t clock;
  timespec time{};
  if (pthread_getcpuclockid(thread_.native_handle(), &clock) == 0) clock_gettime(clock, &time);
  return absl::DurationFromTimespec(time);
}

void HelperThread::DoPieces(Worker worker, const Work& work) {
  for (size_t piece = next_++; piece < pieces_; piece = next_++) work(worker, piece);
}

absl::Duration HelperThread::AwaitHelper() {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kLooks && helping_; ++i) std::this_thread::yield();
  std::unique_lock<std::mutex> lock(mu_);
  work_ = nullptr;  // a helper that has not come yet need not
  rested_.wait(lock, [this] { return !helping_; });
  return absl::FromChrono(std::chrono::steady_clock::now() - begin);
}

void HelperThread::NoteWait(absl::Duration wait) {
  if (wait <= kWaitMax) {
    alone_next_ = std::max(alone_next_ - 1, kAloneMin);
    return;
  }
  alone_ = alone_next_;
  alone_next_ = std::min(2 * alone_next_, kAloneMax);
}

void HelperThread::Help(const char* name) {
  pthread_setname_np(pthread_self(), name);
  std::unique_lock<std::mutex> lock(mu_);
  while (true) {
    called_.wait(lock, [this] { return ended_ || work_ != nullptr; });
    if (ended_) return;
    const Work& work = *work_;
    work_ = nullptr;
    helping_ = true;
    lock.unlock();
    DoPieces(Worker::kHelper, work);
    lock.lock();
    helping_ = false;
    rested_.notify_one();
  }
}

}  // namespace opic::base

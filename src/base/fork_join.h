// Fork and join of work in pieces, each too short to begin a thread for: the owner and a helper, a
// thread of this, take the next piece until there is none left.
//
// The helper sleeps between two calls. If it wakes late, its owner has done more of the pieces, or
// all of them: the owner waits at most for the piece that the helper is working at. When the system
// puts the helper aside in its piece, others want the processor, and the owner works alone for a
// while.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace opic::base {

class ForkJoin {
 public:
  enum class Worker : uint8_t { kOwner, kHelper };
  using Work = absl::FunctionRef<void(Worker worker, size_t piece)>;

  // `name` is what the system shows: 15 characters at most, and must outlive this. Throws
  // std::system_error where the system has no more threads.
  explicit ForkJoin(const char* name);
  ~ForkJoin();
  ForkJoin(const ForkJoin&) = delete;
  ForkJoin& operator=(const ForkJoin&) = delete;

  // After the helper stood still for so long in its pieces its owner does those of so many calls
  // alone.
  static constexpr absl::Duration kAsideMax = absl::Milliseconds(1);
  static constexpr uint32_t kCallsAlone = 256;

  // Calls work(worker, piece) for pieces 0 to `pieces` - 1, each once, on this thread or the
  // helper's, and returns when all are done. What either did is visible to this thread then.
  // REQUIRES: not called from within `work`.
  void Run(size_t pieces, Work work);

  // What the helper has used of a processor so far.
  absl::Duration helper_cpu();

 private:
  void Help(const char* name);
  void DoPieces(Worker worker, const Work& work);
  void AwaitHelper();

  uint32_t alone_ = 0;  // calls that the owner still does alone
  std::mutex mu_;
  std::condition_variable called_;     // there is work, or the end
  std::condition_variable rested_;     // the helper has stopped working
  const Work* work_ = nullptr;         // under mu_; null: nothing that the helper should begin
  bool ended_ = false;                 // under mu_
  bool put_aside_ = false;             // under mu_: the helper was, in its last pieces
  std::atomic<bool> helping_ = false;  // changes under mu_
  std::atomic<size_t> next_ = 0;       // the piece to do next
  size_t pieces_ = 0;                  // changes under mu_, while nobody works
  std::thread thread_;                 // last: it uses all the others
};

}  // namespace opic::base

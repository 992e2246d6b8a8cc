// The body of an answer that comes in parts, one after the other, for as long as the client stays.
//
// The next part is asked for when the client has taken the one before: a slow client makes nothing
// pile up.
//
// Thread safety: synchronised inside. Add and End are called on any thread; the rest is the
// server's.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace opic::http {

class Flow {
 public:
  // Both run on the server's thread and must not block. `wanted`: the client has taken all parts.
  // `gone`: the client has gone, or the server stops; may come again, and after the end.
  Flow(std::function<void()> wanted, std::function<void()> gone);

  void Add(std::string part);
  // Nothing is added afterwards.
  void End();

  // Copies up to `room` bytes and gives their number; nothing at the end. 0: there are none yet;
  // then `sleep` was called, and `wake` will be when there are, on any thread.
  std::optional<size_t> Take(char* to, size_t room, const std::function<void()>& sleep,
                             std::function<void()> wake);
  // All parts were taken, and the next one is waited for.
  bool asleep() const;
  size_t bytes() const;
  void GiveUp() { gone_(); }
  // The connection is over: it is not woken any more.
  void Close();

 private:
  void Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::function<void()> wanted_, gone_;
  mutable absl::Mutex mu_;
  std::string part_ ABSL_GUARDED_BY(mu_);
  size_t taken_ ABSL_GUARDED_BY(mu_) = 0;  // bytes of `part_`
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  std::function<void()> wake_ ABSL_GUARDED_BY(mu_);  // null: awake
};

}  // namespace opic::http

// The clients that watch the ranking (Importance.Watch), and the thread that looks for all of them.
//
// A look costs what Top costs. One is made for all watchers that are due, and after it the desk
// rests nine times as long as it took. So watching takes at most a tenth of the time of one thread,
// however many watch and however short their periods are. The ledger does not stop for a look: it
// works on between the steps (node::PageSearch).
//
// Bounded: 16 watchers, with one reply each on its way. No look is made for a watcher that is slow
// to take its reply; its next reply has all changes since. One that does not take it for a minute
// is cancelled: clients that have frozen would keep all others out for ever.
//
// Thread safety: synchronised inside.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "rpc/question_threads.h"

namespace opic::rpc {

class WatchDesk {
 public:
  static constexpr int kWatchersMax = 16;
  // A watcher without news gets an empty reply after this time.
  static constexpr absl::Duration kQuietMax = absl::Seconds(30);
  using Reactor = grpc::ServerWriteReactor<grpc::ByteBuffer>;

  // `questions` must outlive the desk, and the desk all calls. `reply_untaken_max`: how long a
  // watcher may leave a reply untaken.
  WatchDesk(QuestionThreads& questions, absl::Duration reply_untaken_max);
  ~WatchDesk();  // as Stop()

  // `wire`: an encoded WatchRequest.
  Reactor* Begin(grpc::CallbackServerContext* context, const grpc::ByteBuffer& wire);
  // Ends every watch with UNAVAILABLE. To be called when `questions` stops. Idempotent.
  void Stop();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc

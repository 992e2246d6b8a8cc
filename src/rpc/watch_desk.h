// Who watches the ranking (Importance.Watch), and the thread that looks for all of them.
//
// A look costs what Top costs: one is made for all watchers that are due, and after it the desk
// rests nine times as long as it took, so that watching takes a tenth of the time of one thread at
// most, however many watch and however often they want to hear. The ledger stops for no look: it
// works on between the steps (node::PageSearch).
//
// Bounded: 16 watchers; one reply each is on its way. Who is slow to take it is not looked for
// meanwhile, and hears all changes since in the next one.
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
  // Who has heard nothing for so long hears that: an empty reply.
  static constexpr absl::Duration kQuietMax = absl::Seconds(30);
  using Reactor = grpc::ServerWriteReactor<grpc::ByteBuffer>;

  // `questions` must outlive the desk, and the desk all calls.
  explicit WatchDesk(QuestionThreads& questions);
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

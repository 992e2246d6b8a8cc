// The threads that answer the questions to a node, so that a scan for the top pages holds no gRPC
// thread: one answers what this node knows at once, one scans, one asks the whole cluster. So two
// nodes that ask each other never wait for each other. At most 64 questions wait for each, more are
// refused with UNAVAILABLE, and so is what would hold more than kQuestionsBytesMax: to be asked
// again. RESOURCE_EXHAUSTED would be a full disk (desk/store_failure.h).
//
// Until Open and from Stop on every question is refused so, and nothing of the node is touched.
//
// Thread safety: synchronised inside.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/bounded_queue.h"
#include "base/status_macros.h"
#include "node/running_node.h"
#include "rpc/frugal_message.h"
#include "rpc/limits.h"
#include "rpc/noted_call.h"
#include "rpc/question_options.h"

namespace opic::rpc {

// Whether the node is there to answer.
enum class Hours : uint8_t { kStarting, kOpen, kStopping };

// Ends the call with this error.
grpc::ServerUnaryReactor* Refuse(grpc::CallbackServerContext* context, const absl::Status& why);

// Answers calls one after the other on its own thread.
class AnswerThread {
 public:
  // Both must outlive it.
  AnswerThread(const Gate& gate, const std::atomic<Hours>& hours);
  ~AnswerThread() { Stop(); }

  // Calls `fill` on the thread and ends the call with its status, if the caller has the role
  // `needed`. `bytes`: of the question, which is held until it is answered.
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, Role needed,
                                   std::function<absl::Status()> fill, size_t bytes = 0);
  // Answers what waits, and ends. Idempotent.
  void Stop();

 private:
  void Loop();

  const Gate& gate_;
  const std::atomic<Hours>& hours_;
  std::atomic<size_t> bytes_ = 0;  // of the questions that wait
  base::BoundedQueue<std::function<void()>> waiting_;
  std::thread thread_;
};

// A question that holds a list, of which the parts are counted before it is decoded.
template <typename Request>
absl::StatusOr<std::shared_ptr<const Request>> ReadList(const grpc::ByteBuffer& wire) {
  constexpr size_t kListMax = 100'000;  // fields of a question: its list and a few more
  auto request = std::make_shared<Request>();
  RETURN_IF_ERROR(ParseFrugally(wire, kQuestionBytesMax, kListMax, request.get()));
  return request;
}

// Who answers a question, and on which thread.
class QuestionThreads {
 public:
  // `node` must outlive it.
  QuestionThreads(node::RunningNode& node, QuestionOptions options)
      : node_(node), options_(std::move(options)) {}

  node::RunningNode& node() const { return node_; }
  const Gate& gate() const { return options_.gate; }
  node::Answers& AnswersFor(bool local_only) {
    if (Own(local_only)) return node_;
    return *options_.cluster;
  }

  AnswerThread& own() { return own_; }
  AnswerThread& At(bool local_only) { return Own(local_only) ? own_ : cluster_; }
  AnswerThread& ForScan(bool local_only) { return Own(local_only) ? scans_ : cluster_; }

  // `change`, and then its line in the trail. `call`: the RPC; `request` must live until then.
  template <typename Request>
  std::function<absl::Status()> Noted(const grpc::CallbackServerContext& context, const char* call,
                                      const Request& request, std::function<absl::Status()> change,
                                      bool in_passing = false) {
    return [this, caller = options_.gate.CallerOf(context), call, &request,
            change = std::move(change), in_passing] {
      absl::Status result = change();
      NoteCall(options_.trail, caller, call, request, result, in_passing);
      return result;
    };
  }

  // Unavailable: the node starts, or stops.
  absl::Status CheckOpen() const;
  bool stopping() const { return hours_ == Hours::kStopping; }

  // The node is there: questions are answered from now on.
  void Open() { hours_ = Hours::kOpen; }
  // No answers from now on. Idempotent.
  void Stop();

 private:
  bool Own(bool local_only) const { return local_only || options_.cluster == nullptr; }

  node::RunningNode& node_;
  const QuestionOptions options_;
  std::atomic<Hours> hours_ = Hours::kStarting;
  AnswerThread own_{options_.gate, hours_}, scans_{options_.gate, hours_},
      cluster_{options_.gate, hours_};
};

}  // namespace opic::rpc

#include "rpc/question_threads.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/reason.h"
#include "rpc/reply.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

constexpr size_t kWaitingMax = 64;
constexpr size_t kAnswerThreads = 3;

absl::Status OutOf(Hours hours) {
  switch (hours) {
    case Hours::kStarting:
      return base::WithReason(absl::UnavailableError("the node is starting: try again"),
                              "NODE_STARTING");
    case Hours::kStopping:
      return base::WithReason(absl::UnavailableError("the node is stopping"), "NODE_STOPPING");
    case Hours::kOpen:
      return base::WithReason(
          absl::UnavailableError("too many questions wait for an answer: try again"), "TOO_BUSY");
  }
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* Refuse(grpc::CallbackServerContext* context, const absl::Status& why) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(why));
  return reactor;
}

AnswerThread::AnswerThread(const Gate& gate, const std::atomic<Hours>& hours)
    : gate_(gate), hours_(hours), waiting_(kWaitingMax), thread_([this] { Loop(); }) {}

grpc::ServerUnaryReactor* AnswerThread::Answer(grpc::CallbackServerContext* context, Role needed,
                                               std::function<absl::Status()> fill, size_t bytes) {
  if (const absl::Status may = gate_.Admit(*context, needed); !may.ok()) {
    return Refuse(context, may);
  }
  auto* reply = new Reply();
  static base::Clock& clock = base::RealClock::Get();
  const bool fits = (bytes_ += bytes) <= kQuestionsBytesMax / kAnswerThreads;
  const bool taken = hours_ == Hours::kOpen && fits &&
                     waiting_.TryPush([this, fill = std::move(fill), reply, bytes,
                                       caller = context->peer(), asked = clock.Steady()] {
                       const absl::Status status = fill();
                       base::LogDebug("a question of {} was answered after {:.6f} s{}{}", caller,
                                      absl::ToDoubleSeconds(clock.Steady() - asked),
                                      status.ok() ? "" : ": ", std::string(status.message()));
                       bytes_ -= bytes;
                       reply->End(status);
                     });
  if (!taken) {
    bytes_ -= bytes;
    reply->End(OutOf(hours_));
  }
  return reply;
}

void AnswerThread::Stop() {
  waiting_.Close();
  if (thread_.joinable()) thread_.join();
}

void AnswerThread::Loop() {
  while (std::optional<std::function<void()>> answer = waiting_.Pop()) (*answer)();
}

absl::Status QuestionThreads::CheckOpen() const {
  const Hours now = hours_;
  return now == Hours::kOpen ? absl::OkStatus() : OutOf(now);
}

void QuestionThreads::Stop() {
  hours_ = Hours::kStopping;
  for (AnswerThread* thread : {&own_, &scans_, &cluster_}) thread->Stop();
}

}  // namespace opic::rpc

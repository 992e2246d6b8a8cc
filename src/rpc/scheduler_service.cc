#include "rpc/scheduler_service.h"

#include <grpcpp/grpcpp.h>
#include <pthread.h>
#include <time.h>

#include <functional>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/log.h"
#include "base/log_part.h"
#include "base/reason.h"
#include "rpc/noted_call.h"
#include "rpc/reply.h"
#include "rpc/rpc_status.h"
#include "rpc/schedule_wire.h"
#include "rpc/scheduler_stream.h"
#include "rpc/session_within.h"
#include "rpc/time_wire.h"
#include "rpc/waiting_wire.h"
#include "schedule/rate_budget.h"

namespace opic::rpc {
namespace {

constexpr size_t kEventsMax =
    4096;  // a session has a read and a write under way at most, so this is never reached
// Each may walk over all hosts, and orders wait meanwhile.
constexpr int kQuestionsMax = 64;
constexpr absl::Duration kSaveEvery = absl::Seconds(1);
// A second, for what comes after the last turn.
constexpr int kLastWaits = 100;
constexpr absl::Duration kLastWait = absl::Milliseconds(10);
// A status costs a look at each host that is due, and more than an outcome.
constexpr absl::Duration kPublishEvery = absl::Milliseconds(20);
// A longer delay is a slip.
constexpr absl::Duration kDelayMax = absl::Hours(24);

absl::Duration ThreadCpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

}  // namespace

class SchedulerService::Impl final : public v1::PageScheduler::CallbackService,
                                     public SessionOwner {
 public:
  Impl(std::unique_ptr<scheduler::Scheduler> core, base::Clock& clock, SchedulerAccess access)
      : core_(std::move(core)),
        clock_(clock),
        access_(std::move(access)),
        events_(kEventsMax),
        thread_(base::OfThisPart([this] { Loop(); })) {}

  ~Impl() override { Stop().IgnoreError(); }

  absl::Status Stop() {
    if (!stop_called_.exchange(true)) {
      events_.Push(std::function<void()>([this] { stopping_ = true; }));
      thread_.join();
    }
    return saved_;
  }

  SchedulerReactor* Session(grpc::CallbackServerContext* context) override {
    if (access_.inside)
      return new RefusedStream("this scheduler works for the node in its process");
    if (const absl::Status may = access_.gate.Admit(*context, Role::kNode); !may.ok())
      return new RefusedStream(std::string(may.message()));
    return new SchedulerStream(events_);
  }

  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const v1::PageSchedulerStatusRequest*,
                                   v1::PageSchedulerStatusResponse* reply) override {
    return AnswerStatus(context, access_.gate, reply);
  }
  grpc::ServerUnaryReactor* ExplainHost(grpc::CallbackServerContext* context,
                                        const v1::ExplainHostRequest* request,
                                        v1::ExplainHostResponse* reply) override {
    return AnswerExplainHost(context, access_.gate, request, reply);
  }
  grpc::ServerUnaryReactor* ExplainWaiting(grpc::CallbackServerContext* context,
                                           const v1::ExplainWaitingRequest*,
                                           v1::ExplainWaitingResponse* reply) override {
    return AnswerExplainWaiting(context, access_.gate, reply);
  }
  grpc::ServerUnaryReactor* SetBudget(grpc::CallbackServerContext* context,
                                      const v1::SetBudgetRequest* request,
                                      v1::SetBudgetResponse*) override {
    return AnswerSetBudget(context, access_.gate, request);
  }

  // The same for whoever `gate` lets in.
  grpc::ServerUnaryReactor* AnswerStatus(grpc::CallbackServerContext* context, const Gate& gate,
                                         v1::PageSchedulerStatusResponse* reply) {
    return OnOwner(context, gate, Role::kReader, [this, reply] {
      ToWire(core_->status(clock_.Steady()), ThreadCpu(), reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* AnswerExplainHost(grpc::CallbackServerContext* context,
                                              const Gate& gate,
                                              const v1::ExplainHostRequest* request,
                                              v1::ExplainHostResponse* reply) {
    return OnOwner(context, gate, Role::kReader, [this, request, reply] {
      ToWire(Explain(request->host()), reply->mutable_host());
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* AnswerExplainWaiting(grpc::CallbackServerContext* context,
                                                 const Gate& gate,
                                                 v1::ExplainWaitingResponse* reply) {
    return OnOwner(context, gate, Role::kReader, [this, reply] {
      ToWire(core_->ExplainAll(clock_.Steady()), WallAhead(), reply);
      return absl::OkStatus();
    });
  }

  grpc::ServerUnaryReactor* AnswerSetBudget(grpc::CallbackServerContext* context, const Gate& gate,
                                            const v1::SetBudgetRequest* request) {
    // A node elsewhere has looked at who asked it.
    return OnOwner(context, gate, access_.inside ? Role::kOperator : Role::kNode,
                   [this, request, caller = gate.CallerOf(*context)] {
                     absl::Status result = SetBudgetTo(*request);
                     NoteCall(access_.trail, caller, "SetBudget", *request, result);
                     return result;
                   });
  }

  bool Post(std::function<void()> work) override { return events_.PushOver(std::move(work)); }
  schedule::HostExplanation Explain(const std::string& host) override {
    schedule::HostExplanation explanation = core_->Explain(host, clock_.Steady());
    explanation.next_allowed += WallAhead();
    return explanation;
  }
  void Begin(NodeEnd* node) override {
    if (session_ != nullptr) {
      session_->Close(grpc::Status(grpc::StatusCode::ABORTED, "a newer session has begun"));
    }
    session_ = node;
    greeted_ = false;
  }
  void End(NodeEnd* node) override {
    if (session_ == node) session_ = nullptr;
  }
  bool Hear(NodeEnd* node, const schedule::ToScheduler& message) override {
    if (session_ != node) return false;
    greeted_ = greeted_ || std::holds_alternative<schedule::NodeHello>(message);
    if (greeted_) core_->Handle(message, clock_.Steady());
    return greeted_;
  }

  scheduler::SchedulerStatus status() const {
    absl::MutexLock lock(&mu_);
    return status_;
  }
  absl::Duration cpu() const {
    absl::MutexLock lock(&mu_);
    return cpu_;
  }

 private:
  // Answers a unary call from the owner thread. The request lives until the reply is given.
  grpc::ServerUnaryReactor* OnOwner(grpc::CallbackServerContext* context, const Gate& gate,
                                    Role needed, std::function<absl::Status()> fill) {
    auto* reply = new Reply();
    if (const absl::Status may = gate.Admit(*context, needed); !may.ok()) {
      reply->End(may);
      return reply;
    }
    const int counts = needed == Role::kReader ? 1 : 0;  // no reader keeps an operator out
    if (questions_.fetch_add(counts) >= kQuestionsMax && counts > 0) {
      questions_ -= counts;
      reply->End(base::WithReason(
          absl::UnavailableError("too many questions wait for an answer: try again"), "TOO_BUSY"));
      return reply;
    }
    const bool taken = events_.PushOver(
        std::function<void()>([this, context, counts, fill = std::move(fill), reply] {
          questions_ -= counts;
          reply->End(context->IsCancelled() ? absl::CancelledError("nobody waits") : fill());
        }));
    if (!taken) {
      questions_ -= counts;
      reply->End(base::WithReason(absl::UnavailableError("the scheduler is stopping"),
                                  "SCHEDULER_STOPPING"));
    }
    return reply;
  }

  absl::Status SetBudgetTo(const v1::SetBudgetRequest& request) {
    const std::optional<absl::Duration> delay = DelayOf(request);
    if (!(request.pages_per_s() >= 0 && request.pages_per_s() <= schedule::kPagesPerSecondMax &&
          delay.value_or(absl::ZeroDuration()) >= absl::ZeroDuration() &&
          delay.value_or(absl::ZeroDuration()) <= kDelayMax)) {
      return absl::InvalidArgumentError(
          "the rate must be from 0 (no limit) to 1,000,000 pages a second, the delay from 0 to 24 "
          "hours");
    }
    std::optional<double> rate;
    if (request.has_pages_per_s()) rate = request.pages_per_s();
    const absl::Status set = core_->SetBudget(rate, delay);
    return desk::IsStoreFailure(set) ? desk::ProcessEnds(set) : set;
  }

  absl::Duration WallAhead() { return clock_.Now() - clock_.Steady(); }

  void Loop() {
    pthread_setname_np(pthread_self(), "opic-scheduler");
    core_->SetWallAhead(WallAhead());
    while (!stopping_) {
      for (SchedulerStream::Event& event : events_.PopSome(1024, Patience())) {
        std::visit([this](auto&& value) { Take(value); }, event);
      }
      core_->SetWallAhead(WallAhead());
      const absl::Time now = clock_.Steady();
      if (in_session()) session_->Send(core_->Tick(now));
      if (now >= published_ + kPublishEvery || stopping_) Publish(now);
      news_ = published_ < now;
    }
    HearLastWords();
    if (session_ != nullptr) {
      session_->Close(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the scheduler is stopping"));
      session_ = nullptr;
    }
    saved_ = core_->Save(clock_.Steady(), /*clean=*/true);
    EndLateComers();
    events_.Close();
    EndLateComers();
  }

  absl::Duration Patience() {
    absl::Time wake = in_session() ? core_->next_wake() : absl::InfiniteFuture();
    if (news_) wake = std::min(wake, published_ + kPublishEvery);
    return std::clamp(wake - clock_.Steady(), absl::ZeroDuration(), kSaveEvery);
  }

  void Publish(absl::Time now) {
    published_ = now;
    absl::MutexLock lock(&mu_);
    status_ = core_->status(now);
    cpu_ = ThreadCpu();
  }

  // What the node has sent by now is to be saved, too: takes that until nothing comes, for a second
  // at most.
  void HearLastWords() {
    for (int waits = 0; session_ != nullptr && waits < kLastWaits; ++waits) {
      if (!TakeLate()) return;
    }
  }

  // The server can only end when every call has: waits for the sessions that were closed, at most a
  // second, and answers what came meanwhile.
  void EndLateComers() {
    int waits = 0;
    do {
      TakeLate();
    } while (open_sessions_ > 0 && ++waits < kLastWaits);
  }

  // No session begins any more. False: nothing came.
  bool TakeLate() {
    std::vector<SchedulerStream::Event> events = events_.PopSome(kEventsMax, kLastWait);
    for (SchedulerStream::Event& event : events) {
      if (auto* opened = std::get_if<SchedulerStream::Opened>(&event)) {
        ++open_sessions_;
        opened->stream->Close(
            grpc::Status(grpc::StatusCode::UNAVAILABLE, "the scheduler is stopping"));
      } else {
        std::visit([this](auto&& value) { Take(value); }, event);
      }
    }
    return !events.empty();
  }

  // Until Hello the core still works on the session before, and its orders are not for this one.
  bool in_session() const { return session_ != nullptr && greeted_; }

  void Take(SchedulerStream::Opened& opened) {
    ++open_sessions_;
    Begin(opened.stream);
    opened.stream->ReadNext();
  }

  void Take(SchedulerStream::Read& read) {
    if (read.stream != session_) return;
    if (!read.ok) {
      session_->Close(grpc::Status::OK);
      session_ = nullptr;
      return;
    }
    for (const v1::ToScheduler& wire : read.stream->incoming().messages()) {
      const std::optional<schedule::ToScheduler> message = FromWire(wire);
      if (!message || !Hear(read.stream, *message)) {
        base::LogWarning("a node sent a message that cannot be read; its session is ended");
        session_->Close(
            grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "a message cannot be read"));
        session_ = nullptr;
        return;
      }
    }
    read.stream->ReadNext();
  }

  void Take(SchedulerStream::Written& written) {
    if (written.ok && written.stream == session_) written.stream->WriteEnded();
  }

  void Take(SchedulerStream::Ended& ended) {
    if (ended.stream == session_) session_ = nullptr;
    delete ended.stream;
    --open_sessions_;
  }

  void Take(std::function<void()>& work) { work(); }

  std::unique_ptr<scheduler::Scheduler> core_;
  base::Clock& clock_;
  const SchedulerAccess access_;
  SchedulerStream::Events events_;
  NodeEnd* session_ = nullptr;  // who has it
  int open_sessions_ = 0;
  std::atomic<int> questions_ = 0;  // of readers, that wait for an answer
  bool stopping_ = false, greeted_ = false;
  absl::Time published_ = absl::InfinitePast();  // the status
  bool news_ = false;                            // something may have happened since
  std::atomic<bool> stop_called_ = false;
  absl::Status saved_;

  mutable absl::Mutex mu_;
  scheduler::SchedulerStatus status_ ABSL_GUARDED_BY(mu_);
  absl::Duration cpu_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;  // last: it uses all of the above
};

// Questions at another address.
class SchedulerService::Surface final : public v1::PageScheduler::CallbackService {
 public:
  Surface(Impl& impl, const Gate& gate) : impl_(impl), gate_(gate) {}

  SchedulerReactor* Session(grpc::CallbackServerContext*) override {
    return new RefusedStream("sessions are opened at the scheduler's own address");
  }
  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const v1::PageSchedulerStatusRequest*,
                                   v1::PageSchedulerStatusResponse* reply) override {
    return impl_.AnswerStatus(context, gate_, reply);
  }
  grpc::ServerUnaryReactor* ExplainHost(grpc::CallbackServerContext* context,
                                        const v1::ExplainHostRequest* request,
                                        v1::ExplainHostResponse* reply) override {
    return impl_.AnswerExplainHost(context, gate_, request, reply);
  }
  grpc::ServerUnaryReactor* ExplainWaiting(grpc::CallbackServerContext* context,
                                           const v1::ExplainWaitingRequest*,
                                           v1::ExplainWaitingResponse* reply) override {
    return impl_.AnswerExplainWaiting(context, gate_, reply);
  }
  grpc::ServerUnaryReactor* SetBudget(grpc::CallbackServerContext* context,
                                      const v1::SetBudgetRequest* request,
                                      v1::SetBudgetResponse*) override {
    return impl_.AnswerSetBudget(context, gate_, request);
  }

 private:
  Impl& impl_;
  const Gate gate_;
};

SchedulerService::SchedulerService(std::unique_ptr<scheduler::Scheduler> core, base::Clock& clock,
                                   SchedulerAccess access)
    : impl_(std::make_unique<Impl>(std::move(core), clock, std::move(access))) {}
SchedulerService::~SchedulerService() = default;
grpc::Service* SchedulerService::service() { return impl_.get(); }
grpc::Service* SchedulerService::AddSurface(const Gate& gate) {
  surfaces_.push_back(std::make_unique<Surface>(*impl_, gate));
  return surfaces_.back().get();
}
std::unique_ptr<SchedulerSession> SchedulerService::Within(SchedulerCallbacks callbacks) {
  return std::make_unique<SessionWithin>(*impl_, std::move(callbacks));
}
absl::Status SchedulerService::Stop() { return impl_->Stop(); }
scheduler::SchedulerStatus SchedulerService::status() const { return impl_->status(); }
absl::Duration SchedulerService::cpu() const { return impl_->cpu(); }

}  // namespace opic::rpc

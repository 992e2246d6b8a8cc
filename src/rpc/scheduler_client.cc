#include "rpc/scheduler_client.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/event_queue.h"
#include "base/log.h"
#include "base/log_part.h"
#include "base/status_macros.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/rpc_status.h"
#include "rpc/schedule_wire.h"
#include "rpc/waiting_wire.h"
#include "schedule/host_pace.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kRetryFirst = absl::Milliseconds(200);
constexpr absl::Duration kRetryMax = absl::Seconds(5);
// A session that lasted as long was no failure: the next is opened soon. Where two nodes take one
// scheduler from each other, neither lasts.
constexpr absl::Duration kGoodSession = absl::Seconds(5);
// Outcomes of requests that ended between two sessions; of more, these.
constexpr size_t kUntoldMax = 4096;
// After as long what was written is handled and on disk, or the session has ended: a peer that is
// gone is noticed within some 20 seconds (rpc/server.h), and a scheduler saves once a second.
constexpr absl::Duration kSavedWithin = absl::Seconds(30);
constexpr size_t kLessonsMax = 1024;  // of more, the last
// What waits is sent in batches of about this: a server takes no longer messages than it needs.
constexpr size_t kBatchBytes = size_t{1} << 20;

struct Read {
  bool ok;
};
struct Written {
  bool ok;
};
struct Ended {
  grpc::Status status;
};
struct Stopping {};
using Event = std::variant<Read, Written, Ended, Stopping, schedule::ToScheduler>;

// The protocol bounds what is in it.
using Inbox = base::EventQueue<Event>;

absl::Time Now() { return base::RealClock::Get().Steady(); }

// What is as true when it is said again, in a form that counts no request and no failure; to be
// said when no order for its page is open. Nothing: the outcome has none.
std::optional<schedule::Outcome> LessonOf(const schedule::Outcome& outcome) {
  schedule::Outcome lesson;
  if (schedule::SpeaksOfHost(outcome)) lesson.retry_after = outcome.retry_after;
  lesson.crawl_delay = outcome.crawl_delay;
  if (!lesson.crawl_delay && lesson.retry_after == absl::ZeroDuration()) return std::nullopt;
  lesson.page = outcome.page;
  lesson.host = outcome.host;
  lesson.ended = outcome.ended;
  lesson.result = schedule::Result::kPostponed;
  return lesson;
}

// One call. Reactions post; the client's thread makes every other call on it.
class Stream final : public grpc::ClientBidiReactor<v1::SessionRequest, v1::SessionResponse> {
 public:
  Stream(v1::PageScheduler::Stub& stub, Inbox& inbox) : inbox_(inbox) {
    stub.async()->Session(&context_, this);
    AddHold();  // calls are made outside of reactions
    StartRead(&incoming);
    StartCall();
  }
  void OnReadDone(bool ok) override { inbox_.Push(Read{ok}); }
  void OnWriteDone(bool ok) override { inbox_.Push(Written{ok}); }
  void OnDone(const grpc::Status& status) override { inbox_.Push(Ended{status}); }

  void ReadNext() { StartRead(&incoming); }
  void Write() { StartWrite(&outgoing); }
  void Cancel() { context_.TryCancel(); }
  // After a failed read: OnDone follows when nothing is under way any more.
  void Release() {
    if (!std::exchange(released_, true)) RemoveHold();
  }

  v1::SessionResponse incoming;
  v1::SessionRequest outgoing;

 private:
  Inbox& inbox_;
  grpc::ClientContext context_;
  bool released_ = false;
};

}  // namespace

class SchedulerClient::Impl {
 public:
  Impl(std::shared_ptr<grpc::Channel> channel, SchedulerCallbacks callbacks)
      : stub_(v1::PageScheduler::NewStub(channel)), callbacks_(std::move(callbacks)) {}

  void Start() {
    thread_ = std::thread(base::OfThisPart([this] { Loop(); }));
  }
  void Send(schedule::ToScheduler message) { inbox_.Push(std::move(message)); }
  void Stop() {
    if (stop_called_.exchange(true) || !thread_.joinable()) return;
    inbox_.Push(Stopping{});
    thread_.join();
  }
  bool connected() const {
    absl::MutexLock lock(&since_mu_);
    return connected_ || Now() < away_since_ + kSessionGrace;
  }
  absl::StatusOr<schedule::HostExplanation> ExplainHost(const std::string& host) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kAnswerPatience));
    v1::ExplainHostRequest request;
    request.set_host(host);
    v1::ExplainHostResponse reply;
    const absl::Status asked = FromGrpc(stub_->ExplainHost(&context, request, &reply));
    if (!asked.ok()) return base::WithContext(asked, "asking the Page Scheduler");
    return FromWire(reply);
  }

 private:
  void Loop() {
    Open();
    while (!stopping_ || stream_) {
      const absl::Duration patience = stream_ ? absl::Seconds(1) : reopen_at_ - Now();
      for (Event& event : inbox_.PopAll(patience)) {
        std::visit([this](auto& value) { Take(std::move(value)); }, event);
      }
      if (!stream_ && !stopping_ && Now() >= reopen_at_) Open();
      WriteWaiting();
    }
  }

  void Open() {
    Fail();
    failed_ = false;
    writing_ = said_hello_ = false;
    stream_ = std::make_unique<Stream>(*stub_, inbox_);
    callbacks_.on_session();
  }

  void Take(Read read) {
    if (!stream_) return;
    if (!read.ok || stopping_) {
      Fail();  // once released the stream takes no more calls
      stream_->Release();
      return;
    }
    if (!connected_.exchange(true)) connected_at_ = Now();
    if (std::exchange(missed_, std::nullopt)) base::LogInfo("the scheduler is there again");
    for (const v1::ToNode& wire : stream_->incoming.messages()) {
      const std::optional<schedule::ToNode> message = FromWire(wire);
      if (message) {
        callbacks_.on_message(*message);
      } else {
        base::LogWarning("the scheduler sent a message that cannot be read; it is left out");
      }
    }
    stream_->ReadNext();
  }

  void Take(Written written) {
    writing_ = false;
    if (!written.ok) Fail();
    for (const schedule::ToScheduler& message : being_written_)
      KeepLesson(std::get<schedule::Outcome>(message));
    being_written_.clear();
    if (written.ok && !connected_.exchange(true)) connected_at_ = Now();  // it may say nothing long
  }

  void Take(Ended ended) {
    Fail();
    stream_.reset();
    if (stopping_) return;
    if (connected_) {
      absl::MutexLock lock(&since_mu_);
      away_since_ = Now();
    }
    const bool was_connected = connected_.exchange(false);
    const grpc::StatusCode why = ended.status.error_code();
    const bool is_news = std::exchange(missed_, why) != why;
    if (is_news && was_connected) {
      base::LogWarning("the session with the scheduler has ended: {}; opening another",
                       ended.status.error_message());
    } else if (is_news) {
      base::LogWarning("the scheduler does not answer: {}; trying again until it does",
                       ended.status.error_message());
    }
    if (was_connected && Now() - connected_at_ >= kGoodSession) retry_ = kRetryFirst;
    reopen_at_ = Now() + retry_;
    retry_ = std::min(retry_ * 2, kRetryMax);
  }

  void Take(Stopping) {
    stopping_ = true;
    if (stream_) stream_->Cancel();
  }

  void Take(schedule::ToScheduler message) {
    const bool hello = std::holds_alternative<schedule::NodeHello>(message);
    said_hello_ = said_hello_ || hello;
    if (!stream_ || !said_hello_ || failed_ || stopping_) return KeepForNext(std::move(message));
    waiting_.push_back(std::move(message));
    if (hello) TellUntold();
  }

  // Behind Hello. An outcome has been heard if its page is in flight again, and would end that.
  void TellUntold() {
    absl::flat_hash_set<PageId> in_flight;
    for (const schedule::InFlight& fetch : std::get<schedule::NodeHello>(waiting_.back()).in_flight)
      in_flight.insert(fetch.page);
    for (schedule::ToScheduler& untold : untold_) {
      if (!in_flight.contains(std::get<schedule::Outcome>(untold).page))
        waiting_.push_back(std::move(untold));
    }
    untold_.clear();
  }

  // Nothing more is sent in this session. In order: what was being written has hardly arrived, and
  // what was written before may not have been handled.
  void Fail() {
    failed_ = true;
    for (Lesson& lesson : lessons_) {
      const absl::Duration since = Now() - lesson.written;
      absl::Duration& retry_after = lesson.outcome.retry_after;
      retry_after = std::max(retry_after - since, absl::ZeroDuration());
      if (since < kSavedWithin) KeepForNext(std::move(lesson.outcome));
    }
    lessons_.clear();
    for (auto* messages : {&being_written_, &waiting_}) {
      for (schedule::ToScheduler& message : *messages) KeepForNext(std::move(message));
      messages->clear();
    }
  }

  // What a request has taught of its host holds in any session: Retry-After, Crawl-delay, failures.
  // All else belongs to the one that is over.
  void KeepForNext(schedule::ToScheduler message) {
    const auto* outcome = std::get_if<schedule::Outcome>(&message);
    if (outcome == nullptr ||
        !(outcome->requested || outcome->network_failure || LessonOf(*outcome)))
      return;
    if (untold_.size() < kUntoldMax) untold_.push_back(std::move(message));
  }

  // Failures are counted: of what was written they are not told again.
  void KeepLesson(const schedule::Outcome& outcome) {
    std::optional<schedule::Outcome> lesson = LessonOf(outcome);
    if (!lesson) return;
    lessons_.push_back({Now(), *std::move(lesson)});
    if (lessons_.size() > kLessonsMax) lessons_.pop_front();
  }

  void WriteWaiting() {
    if (!stream_ || writing_ || failed_ || stopping_ || waiting_.empty()) return;
    stream_->outgoing.Clear();
    size_t bytes = 0;
    while (!waiting_.empty() && bytes < kBatchBytes) {
      v1::ToScheduler* wire = stream_->outgoing.add_messages();
      ToWire(waiting_.front(), wire);
      bytes += wire->ByteSizeLong();
      if (std::holds_alternative<schedule::Outcome>(waiting_.front()))
        being_written_.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    writing_ = true;
    stream_->Write();
  }

  std::unique_ptr<v1::PageScheduler::Stub> stub_;
  const SchedulerCallbacks callbacks_;
  Inbox inbox_;
  std::atomic<bool> connected_ = false, stop_called_ = false;
  mutable absl::Mutex since_mu_;
  absl::Time away_since_ ABSL_GUARDED_BY(since_mu_) = Now();
  std::thread thread_;
  // Of the thread.
  std::unique_ptr<Stream> stream_;
  std::deque<schedule::ToScheduler> waiting_, being_written_;  // of the latter, outcomes alone
  std::vector<schedule::ToScheduler> untold_;                  // outcomes
  struct Lesson {
    absl::Time written;
    schedule::Outcome outcome;
  };
  std::deque<Lesson> lessons_;  // of this session
  bool writing_ = false, failed_ = false, stopping_ = false, said_hello_ = false;
  std::optional<grpc::StatusCode> missed_;  // why the scheduler is away, as the log says
  absl::Time reopen_at_ = absl::InfinitePast(), connected_at_ = absl::InfinitePast();
  absl::Duration retry_ = kRetryFirst;
};

SchedulerClient::SchedulerClient(std::shared_ptr<grpc::Channel> channel,
                                 SchedulerCallbacks callbacks)
    : impl_(std::make_unique<Impl>(std::move(channel), std::move(callbacks))) {}
SchedulerClient::~SchedulerClient() { Stop(); }
void SchedulerClient::Start() { impl_->Start(); }
void SchedulerClient::Send(schedule::ToScheduler message) { impl_->Send(std::move(message)); }
void SchedulerClient::Stop() { impl_->Stop(); }
bool SchedulerClient::connected() const { return impl_->connected(); }
absl::StatusOr<schedule::HostExplanation> SchedulerClient::ExplainHost(const std::string& host) {
  return impl_->ExplainHost(host);
}

}  // namespace opic::rpc

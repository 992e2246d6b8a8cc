#include "rpc/watch_desk.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/bell.h"
#include "base/clock.h"
#include "base/reason.h"
#include "base/status_macros.h"
#include "opic/v1/importance.pb.h"
#include "rpc/ranking_watch.h"
#include "rpc/rpc_status.h"
#include "rpc/watch_wire.h"

namespace opic::rpc {
namespace {

using Reactor = WatchDesk::Reactor;

constexpr int kRestTimes = 9;  // as long as a look took

absl::Time Now() { return base::RealClock::Get().Steady(); }

absl::Status Stopping() {
  return base::WithReason(absl::UnavailableError("the node is stopping"), "NODE_STOPPING");
}

class Refused final : public Reactor {
 public:
  explicit Refused(const absl::Status& why) { Finish(ToGrpc(why)); }
  void OnDone() override { delete this; }
};

// One watcher. Its reactions only set flags; the desk's thread makes every call on the stream.
class Watcher final : public Reactor {
 public:
  Watcher(grpc::CallbackServerContext* context, WatchQuery query, bool local_only,
          std::function<void()> wake)
      : view(std::move(query)), local_only(local_only), context_(context), wake_(std::move(wake)) {}

  void OnWriteDone(bool ok) override {
    if (!ok) gone_ = true;
    writing_ = false;
    wake_();
  }
  void OnCancel() override {
    gone_ = true;
    wake_();
  }
  void OnDone() override { delete this; }

  // Desk's thread only, from here.
  bool gone() const { return gone_; }
  bool writing() const { return writing_; }
  void Write(const v1::WatchResponse& reply) {
    bytes_ = Serialize(reply);
    writing_ = true;
    last_write = Now();
    StartWrite(&bytes_);
  }
  // What it has not taken is dropped; OnCancel follows.
  void Cancel() {
    cancelled_ = true;
    context_->TryCancel();
  }
  bool cancelled() const { return cancelled_; }
  // It may be gone after that.
  void End(const absl::Status& why) { Finish(ToGrpc(why)); }

  RankingWatch view;
  const bool local_only;
  absl::Time due = absl::InfinitePast(), last_write = Now();

 private:
  grpc::CallbackServerContext* const context_;
  bool cancelled_ = false;
  const std::function<void()> wake_;
  grpc::ByteBuffer bytes_;
  std::atomic<bool> gone_ = false, writing_ = false;
};

using Watchers = std::vector<Watcher*>;

}  // namespace

class WatchDesk::Impl {
 public:
  Impl(QuestionThreads& questions, absl::Duration reply_untaken_max)
      : questions_(questions), reply_untaken_max_(reply_untaken_max) {}

  absl::StatusOr<Reactor*> Admit(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer& wire) {
    RETURN_IF_ERROR(questions_.gate().Admit(*context, Role::kReader));
    ASSIGN_OR_RETURN(const auto request, ReadList<v1::WatchRequest>(wire));
    ASSIGN_OR_RETURN(WatchQuery query, FromWire(*request));
    RETURN_IF_ERROR(questions_.CheckOpen());
    const absl::MutexLock lock(&mu_);
    if (stopping_) return Stopping();
    if (watching_ >= kWatchersMax) {
      return base::WithReason(
          absl::UnavailableError(
              absl::StrCat(kWatchersMax, " clients watch the ranking already: try again later")),
          "TOO_MANY_WATCHERS", {{"most", absl::StrCat(kWatchersMax)}});
    }
    ++watching_;
    auto* watcher =
        new Watcher(context, std::move(query), request->local_only(), [this] { woken_.Ring(); });
    arriving_.push_back(watcher);
    woken_.Ring();
    if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
    return watcher;
  }

  void Stop() {
    {
      const absl::MutexLock lock(&mu_);
      stopping_ = true;
    }
    woken_.Ring();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Loop() {
    Watchers watchers;
    while (Await(watchers)) {
      EndThoseGone(watchers);
      CancelThoseFrozen(watchers);
      const Watchers due = Due(watchers);
      const absl::Status looked = due.empty() ? absl::OkStatus() : LookFor(due);
      if (!looked.ok() && !absl::IsCancelled(looked)) {
        for (Watcher* watcher : due) End(watchers, watcher, looked);
      }
      for (Watcher* watcher : watchers) {
        if (!watcher->writing() && watcher->last_write + kQuietMax <= Now())
          watcher->Write(v1::WatchResponse());
      }
    }
    while (!watchers.empty()) End(watchers, watchers.back(), Stopping());
  }

  // Whose pages are looked up next: the watcher that waits longest, and all that want the same.
  Watchers Due(const Watchers& watchers) const {
    Watchers due;
    const absl::Time now = Now();
    if (now < rest_until_) return due;
    const Watcher* first = nullptr;
    for (const Watcher* watcher : watchers) {
      if (watcher->writing() || watcher->due > now) continue;
      if (first == nullptr || watcher->due < first->due) first = watcher;
    }
    if (first == nullptr) return due;
    std::copy_if(
        watchers.begin(), watchers.end(), std::back_inserter(due), [&](const Watcher* one) {
          return one->local_only == first->local_only && !one->writing() && one->due <= now;
        });
    return due;
  }

  // Until there is something to do; takes those in that have come. False: the desk stops.
  bool Await(Watchers& watchers) {
    absl::Time next = absl::InfiniteFuture();
    for (const Watcher* watcher : watchers) {
      if (watcher->writing()) {
        if (!watcher->cancelled()) next = std::min(next, UntakenUntil(*watcher));
        continue;
      }
      next = std::min({next, std::max(watcher->due, rest_until_), watcher->last_write + kQuietMax});
    }
    woken_.Await(next - Now());
    const absl::MutexLock lock(&mu_);
    watchers.insert(watchers.end(), arriving_.begin(), arriving_.end());
    arriving_.clear();
    return !stopping_;
  }

  void EndThoseGone(Watchers& watchers) {
    for (const Watchers now = watchers; Watcher * watcher : now) {
      if (watcher->gone()) End(watchers, watcher, absl::CancelledError("nobody listens"));
    }
  }

  absl::Time UntakenUntil(const Watcher& watcher) const {
    return watcher.last_write + reply_untaken_max_;
  }
  void CancelThoseFrozen(const Watchers& watchers) const {
    for (Watcher* watcher : watchers) {
      if (watcher->writing() && !watcher->cancelled() && UntakenUntil(*watcher) <= Now())
        watcher->Cancel();
    }
  }

  void End(Watchers& watchers, Watcher* watcher, const absl::Status& why) {
    std::erase(watchers, watcher);
    watcher->End(why);
    const absl::MutexLock lock(&mu_);
    --watching_;
  }

  // One look for all of them, and to each what is new to it.
  absl::Status LookFor(const Watchers& due) {
    const absl::Time begin = Now();
    node::TopQuery query{.count = 0};
    std::vector<std::string> urls;
    for (const Watcher* watcher : due) {
      const WatchQuery& wanted = watcher->view.query();
      query.count = std::max(query.count, wanted.count);
      urls.insert(urls.end(), wanted.urls.begin(), wanted.urls.end());
    }
    query.given_up = [this, &due] {
      return questions_.stopping() ||
             std::all_of(due.begin(), due.end(), [](const Watcher* one) { return one->gone(); });
    };
    node::Answers& answers = questions_.AnswersFor(due.front()->local_only);
    node::Answers::TopPages top;
    if (query.count > 0) {
      ASSIGN_OR_RETURN(top, answers.Top(query));
    }
    ASSIGN_OR_RETURN(const std::vector<node::PageImportance> pages, ImportanceOf(answers, urls));
    const absl::Time now = Now();
    rest_until_ = now + kRestTimes * (now - begin);
    size_t first = 0;
    for (Watcher* watcher : due) {
      const size_t own = watcher->view.query().urls.size();
      watcher->due = now + watcher->view.query().period;
      Tell(*watcher, watcher->view.Look(top, absl::MakeConstSpan(pages).subspan(first, own)));
      first += own;
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<std::vector<node::PageImportance>> ImportanceOf(
      node::Answers& answers, const std::vector<std::string>& urls) {
    std::vector<node::PageImportance> all;
    for (size_t first = 0; first < urls.size(); first += kWatchedMax) {
      const size_t end = std::min(first + kWatchedMax, urls.size());
      ASSIGN_OR_RETURN(const std::vector<node::PageImportance> pages,
                       answers.Importance({urls.begin() + static_cast<std::ptrdiff_t>(first),
                                           urls.begin() + static_cast<std::ptrdiff_t>(end)}));
      all.insert(all.end(), pages.begin(), pages.end());
    }
    return all;
  }

  static void Tell(Watcher& watcher, const std::optional<WatchChanges>& changes) {
    if (!changes) return;
    v1::WatchResponse reply;
    ToWire(*changes, &reply);
    watcher.Write(reply);
  }

  QuestionThreads& questions_;
  const absl::Duration reply_untaken_max_;
  absl::Time rest_until_ = absl::InfinitePast();  // of the thread
  absl::Mutex mu_;
  Watchers arriving_ ABSL_GUARDED_BY(mu_);
  int watching_ ABSL_GUARDED_BY(mu_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  base::Bell woken_;    // one has come or goes, has taken its reply, or the desk stops
  std::thread thread_;  // begun with the first watcher, under mu_
};

WatchDesk::WatchDesk(QuestionThreads& questions, absl::Duration reply_untaken_max)
    : impl_(std::make_unique<Impl>(questions, reply_untaken_max)) {}
WatchDesk::~WatchDesk() { Stop(); }
void WatchDesk::Stop() { impl_->Stop(); }

Reactor* WatchDesk::Begin(grpc::CallbackServerContext* context, const grpc::ByteBuffer& wire) {
  const absl::StatusOr<Reactor*> watcher = impl_->Admit(context, wire);
  return watcher.ok() ? *watcher : new Refused(watcher.status());
}

}  // namespace opic::rpc

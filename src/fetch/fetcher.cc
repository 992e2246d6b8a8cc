#include "fetch/fetcher.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "absl/base/call_once.h"
#include "absl/synchronization/mutex.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "fetch/address_slots.h"
#include "fetch/body_room.h"
#include "fetch/connection_caches.h"
#include "fetch/download.h"
#include "fetch/multi_loop.h"
#include "fetch/routes.h"
#include "fetch/settings.h"

namespace opic::fetch {
namespace {

void LogEnd(const std::string& url, const Response& response) {
  base::LogDebug("{}: status {}, {} bytes in {:.3f} s{}{}", url, response.status,
                 response.wire_bytes, absl::ToDoubleSeconds(response.ended - response.started),
                 response.detail.empty() ? "" : ": ", response.detail);
}

absl::Duration CpuTimeOf(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return absl::DurationFromTimespec(used);
}

// Bytes a second: what is slower is in the way of others (EndSlowOnes).
constexpr double kPaceWhenFull = 16 << 10;
// Connections, at least: what is in use, and as many that wait for the next request.
constexpr int kKeptPerRequest = 2;
int ConnectionsKept(const Options& options, int in_flight_max) {
  return std::max(kKeptPerRequest * in_flight_max, options.connections_kept);
}
// Origins whose heads are filtered.
constexpr size_t kFilteredMax = 10'000;

void InitialiseCurlOnce() {
  static absl::once_flag once;
  absl::call_once(once, [] { OPIC_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
}

// Signals are the main thread's; a SIGPIPE raised by a write in a library would end the process.
// Threads started from this one (the resolver's) inherit the mask.
void BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

class CurlFetcher final : public Fetcher {
 public:
  CurlFetcher(Options options, std::function<void(Response)> done, std::unique_ptr<MultiLoop> loop)
      : options_(std::move(options)),
        done_(std::move(done)),
        routes_(options_),
        slots_(options_.per_address_max),
        caches_(ConnectionsKept(options_, options_.in_flight_max), options_, routes_),
        room_(options_.bodies),
        loop_(std::move(loop)),
        in_flight_max_(options_.in_flight_max),
        thread_([this] { Run(); }) {
    if (options_.bodies != nullptr) options_.bodies->WhenRoom([this] { loop_->Wake(); });
    absl::MutexLock lock(&mu_);
    OPIC_CHECK(pthread_getcpuclockid(thread_.native_handle(), &cpu_clock_) == 0);
    cpu_clock_known_ = true;
  }
  ~CurlFetcher() override {
    Stop();
    if (options_.bodies != nullptr) options_.bodies->WhenRoom(nullptr);
  }

  bool Submit(Request request) override {
    bool first = false;
    {
      absl::MutexLock lock(&mu_);
      if (stopping_ || in_flight_ >= in_flight_max_) return false;
      ++in_flight_;
      inbox_.push_back(std::move(request));
      first = inbox_.size() == 1;
    }
    // The fetch thread may run at once, in place of this one, and take the lock.
    if (first) loop_->Wake();
    return true;
  }

  void Withdraw(std::function<bool(const UnderWay&)> which) override {
    absl::MutexLock lock(&mu_);
    withdrawals_.push_back(std::move(which));
    loop_->Wake();
  }

  void LimitInFlight(int most) override {
    OPIC_CHECK(most > 0);
    absl::MutexLock lock(&mu_);
    in_flight_max_ = most;
  }

  int in_flight() const override {
    absl::MutexLock lock(&mu_);
    return in_flight_;
  }

  absl::Duration cpu_time() const override {
    absl::MutexLock lock(&mu_);
    return ended_ ? cpu_total_ : CpuTimeOf(cpu_clock_);
  }

  void Stop() override {
    {
      absl::MutexLock lock(&mu_);
      stopping_ = true;
      loop_->Wake();
    }
    absl::MutexLock lock(&join_mu_);
    OPIC_CHECK(std::this_thread::get_id() != thread_.get_id()) << "Stop() in a callback";
    if (thread_.joinable()) thread_.join();
  }

 private:
  using Withdrawals = std::vector<std::function<bool(const UnderWay&)>>;

  void Run();
  bool TakeInbox(std::vector<Request>& requests, Withdrawals& withdrawals);
  void Start(const Request& request);
  void Add(Download& download);
  void End(CURL* easy, CURLcode code);
  // False: the answer is not to be asked for again by itself.
  bool FilterHeadsOf(std::string_view url);
  void ChooseReader();
  void GoOn();
  void GoOn(Download& download);
  void EndSlowOnes();
  void EndWithdrawn(const Withdrawals& withdrawals);
  void End(Download& download, Error error, std::string_view detail);
  // Null: none is. `may_read`: of those that may go on as things are.
  Download* EldestHeldBack(bool may_read) const;
  void EndAll();
  void Deliver(Response response);
  Download& IdleDownload();
  bool CpuClockKnown() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return cpu_clock_known_; }

  const Options options_;
  const std::function<void(Response)> done_;
  const Routes routes_;

  // The fetch thread's own.
  AddressSlots slots_;
  OpenConnections connections_;  // of the caches and the loop, until their end
  ConnectionCaches caches_;
  BodyRoom room_;
  std::unique_ptr<MultiLoop> loop_;              // only Wake() from elsewhere
  std::set<std::string, std::less<>> filtered_;  // origins (Response::ask_again)
  int kept_max_ = 0;                             // connections between requests
  absl::Time looked_ = absl::InfinitePast();     // EndSlowOnes
  std::vector<std::unique_ptr<Download>> downloads_;
  std::vector<Download*> idle_;

  mutable absl::Mutex mu_;
  std::vector<Request> inbox_ ABSL_GUARDED_BY(mu_);
  Withdrawals withdrawals_ ABSL_GUARDED_BY(mu_);
  int in_flight_max_ ABSL_GUARDED_BY(mu_);
  int in_flight_ ABSL_GUARDED_BY(mu_) = 0;  // in the inbox, or without a response yet
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool cpu_clock_known_ ABSL_GUARDED_BY(mu_) = false;
  clockid_t cpu_clock_ ABSL_GUARDED_BY(mu_) = {};
  absl::Duration cpu_total_ ABSL_GUARDED_BY(mu_);

  absl::Mutex join_mu_;  // of concurrent Stop() calls one joins, the others wait for it
  std::thread thread_;   // last: it uses all the others
};

void CurlFetcher::Run() {
  BlockSignals();
  pthread_setname_np(pthread_self(), "opic-fetch");
  std::vector<Request> requests;
  Withdrawals withdrawals;
  while (TakeInbox(requests, withdrawals)) {
    loop_->KeepAtMost(caches_.PartOf(kept_max_));
    for (const Request& request : requests) Start(request);
    requests.clear();
    EndWithdrawn(withdrawals);
    withdrawals.clear();
    loop_->RunOnce([this](CURL* easy, CURLcode code) { End(easy, code); },
                   [this] { ChooseReader(); });
    ChooseReader();  // of what is held some may have been given back
    GoOn();
    EndSlowOnes();
  }
  EndAll();
  absl::MutexLock lock(&mu_, absl::Condition(this, &CurlFetcher::CpuClockKnown));
  cpu_total_ = CpuTimeOf(CLOCK_THREAD_CPUTIME_ID);
  ended_ = true;
}

// False: stop now; what the inbox holds is left to EndAll.
bool CurlFetcher::TakeInbox(std::vector<Request>& requests, Withdrawals& withdrawals) {
  absl::MutexLock lock(&mu_);
  if (stopping_) return false;
  requests.swap(inbox_);
  withdrawals.swap(withdrawals_);
  kept_max_ = ConnectionsKept(options_, in_flight_max_);
  return true;
}

Download& CurlFetcher::IdleDownload() {
  if (idle_.empty()) {
    downloads_.push_back(
        std::make_unique<Download>(options_, routes_, slots_, connections_, room_));
    return *downloads_.back();
  }
  Download* download = idle_.back();
  idle_.pop_back();
  return *download;
}

void CurlFetcher::Start(const Request& request) {
  Download& download = IdleDownload();
  const std::string_view origin = OriginOf(request.url);
  download.Begin(request, filtered_.contains(origin));
  caches_.Apply(download.easy(), origin);
  Add(download);
}

void CurlFetcher::Add(Download& download) {
  if (loop_->Add(download.easy())) return;
  Response response = download.Abandon(Error::kOther, "libcurl takes no more requests");
  idle_.push_back(&download);
  Deliver(std::move(response));
}

void CurlFetcher::End(CURL* easy, CURLcode code) {
  Download& download = Download::Of(easy);
  if (code == CURLE_OK && download.connecting_only()) {
    download.SpeakThroughFilter(*loop_);
    return Add(download);
  }
  Response response = download.Finish(code);
  LogEnd(download.url(), response);
  if (response.ask_again) response.ask_again = FilterHeadsOf(download.url());
  loop_->Remove(easy);
  idle_.push_back(&download);
  Deliver(std::move(response));
}

// When there are very many, each takes the place of another, and its answer has failed: they could
// ask for each other's answers again for ever.
bool CurlFetcher::FilterHeadsOf(std::string_view url) {
  const std::string origin(OriginOf(url));
  if (filtered_.contains(origin)) return true;
  const bool room = filtered_.size() < kFilteredMax;
  if (!room) filtered_.erase(filtered_.begin());
  filtered_.insert(origin);
  return room;
}

Download* CurlFetcher::EldestHeldBack(bool may_read) const {
  Download* eldest = nullptr;
  for (const std::unique_ptr<Download>& download : downloads_) {
    if (!download->held_back() || (may_read && !download->MayRead())) continue;
    if (eldest == nullptr || download->started() < eldest->started()) eldest = download.get();
  }
  return eldest;
}

// While the room is crowded one large body is read alone, the eldest that has something to read,
// and only if nearly all is held by downloads: whatever the others hold, it comes to its end.
void CurlFetcher::ChooseReader() {
  if (!room_.crowded()) return;
  if (room_.others_hold()) return room_.Choose(nullptr);
  while (room_.held_back() > 0 && !room_.chosen() && !room_.others_hold()) {
    Download& eldest = *EldestHeldBack(/*may_read=*/false);
    room_.Choose(&eldest);
    GoOn(eldest);
  }
}

// One a round, the eldest first: each may fill the room again.
void CurlFetcher::GoOn() {
  if (room_.held_back() == 0) return;
  if (!room_.crowded()) room_.Choose(nullptr);
  Download* const eldest = EldestHeldBack(/*may_read=*/true);
  if (eldest == nullptr) return;
  GoOn(*eldest);
  loop_->Wake();  // for the next
}

void CurlFetcher::GoOn(Download& download) {
  const CURLcode code = download.GoOn();
  if (code != CURLE_OK) End(download.easy(), code);
}

// While the room is full nothing is asked for, and answers that hardly come on would keep it so
// until `total_timeout`: they end. libcurl wakes this thread once a second for each, to see how
// fast it is.
void CurlFetcher::EndSlowOnes() {
  if (!room_.full() || room_.others_hold()) return;
  const absl::Time now = base::RealClock::Get().Steady();
  const absl::Duration least = options_.low_speed_time / 4, looks = least / 5;
  if (now < looked_ + looks) return;
  // It was not full until now, or this thread stood still, which is not their fault.
  const bool anew = now > looked_ + least;
  looked_ = now;
  for (const std::unique_ptr<Download>& download : downloads_) {
    if (anew) download->NotePace(now);
    const std::optional<double> pace = download->Pace(now, least);
    if (!pace || *pace >= kPaceWhenFull) continue;
    End(*download, Error::kTooSlow, "too slow while memory was full");
  }
}

void CurlFetcher::EndWithdrawn(const Withdrawals& withdrawals) {
  for (const auto& which : withdrawals) {
    for (const std::unique_ptr<Download>& download : downloads_) {
      if (download->active() && which({download->url(), download->sent()}))
        End(*download, Error::kWithdrawn, "withdrawn");
    }
  }
}

// Before libcurl does.
void CurlFetcher::End(Download& download, Error error, std::string_view detail) {
  loop_->Remove(download.easy());
  Response response = download.Abandon(error, detail);
  idle_.push_back(&download);
  Deliver(std::move(response));
}

void CurlFetcher::EndAll() {
  for (const std::unique_ptr<Download>& download : downloads_) {
    if (!download->active()) continue;
    loop_->Remove(download->easy());
    Deliver(download->Abandon(Error::kStopped, "stopped"));
  }
  std::vector<Request> unstarted;
  {
    absl::MutexLock lock(&mu_);
    unstarted.swap(inbox_);
  }
  for (const Request& request : unstarted) {
    Download& download = IdleDownload();
    download.Begin(request, /*filter_head=*/false);
    Deliver(download.Abandon(Error::kStopped, "stopped"));
    idle_.push_back(&download);
  }
}

void CurlFetcher::Deliver(Response response) {
  {
    absl::MutexLock lock(&mu_);
    --in_flight_;  // first, so that the callback can submit the next
  }
  done_(std::move(response));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Fetcher>> Fetcher::Start(Options options,
                                                        std::function<void(Response)> done) {
  RETURN_IF_ERROR(Validate(options));
  InitialiseCurlOnce();
  ASSIGN_OR_RETURN(std::unique_ptr<MultiLoop> loop, MultiLoop::Create());
  std::unique_ptr<Fetcher> fetcher =
      std::make_unique<CurlFetcher>(std::move(options), std::move(done), std::move(loop));
  return fetcher;
}

}  // namespace opic::fetch

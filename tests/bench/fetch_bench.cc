// opic-modules: fetch http_server
//
// What a fetch costs: requests a second, and CPU time of the fetch thread a request (counter
// cpu_us_per_request), over keep-alive connections on loopback. The server shares the machine.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "fetch/fetcher.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;

constexpr int kBatch = 2000;
constexpr uint64_t kHeld = 1;  // the ticket of a request that a dead server holds

// Keeps `width` requests to one URL under way until a batch of them ended.
class Load {
 public:
  // There is room for `held` requests more.
  Load(std::string url, int width, int held) : url_(std::move(url)), width_(width) {
    Options options;
    options.allow_private = true;
    options.in_flight_max = options.per_address_max = width + held;
    options.low_speed_bytes_per_s = 0;
    fetcher_ = *Fetcher::Start(options, [this](Response response) { Ended(response); });
  }
  ~Load() { fetcher_.reset(); }

  void Hold(const std::string& dead_url) { fetcher_->Submit({.ticket = kHeld, .url = dead_url}); }

  void RunBatch() {
    absl::MutexLock lock(&mu_);
    unsent_ = unended_ = kBatch;
    for (int i = 0; i < width_; ++i) Send();
    auto done = [&] { return unended_ == 0; };
    mu_.Await(absl::Condition(&done));
  }

  void Measure(benchmark::State& state) {
    const absl::Duration before = fetcher_->cpu_time();
    for (auto _ : state) RunBatch();
    const auto requests = static_cast<int64_t>(state.iterations()) * kBatch;
    state.SetItemsProcessed(requests);
    state.counters["cpu_us_per_request"] =
        absl::ToDoubleMicroseconds(fetcher_->cpu_time() - before) / static_cast<double>(requests);
    absl::MutexLock lock(&mu_);
    if (failures_ > 0) state.SkipWithError("requests failed");
  }

 private:
  void Ended(const Response& response) {
    if (response.ticket == kHeld) return;
    absl::MutexLock lock(&mu_);
    if (response.error != Error::kNone) ++failures_;
    --unended_;
    if (unsent_ > 0) Send();
  }
  void Send() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    --unsent_;
    if (!fetcher_->Submit({.url = url_})) ++failures_;
  }

  const std::string url_;
  const int width_;
  absl::Mutex mu_;
  int unsent_ ABSL_GUARDED_BY(mu_) = 0;
  int unended_ ABSL_GUARDED_BY(mu_) = 0;
  int failures_ ABSL_GUARDED_BY(mu_) = 0;
  std::unique_ptr<Fetcher> fetcher_;
};

// Ranges: requests at once, bytes a body, and requests that a dead server holds open beside them,
// whose cost must not show.
void KeepAlive(benchmark::State& state) {
  const auto width = static_cast<int>(state.range(0));
  const auto held = static_cast<int>(state.range(2));
  const HttpReply reply = support::Ok(std::string(static_cast<size_t>(state.range(1)), 'x'));
  HttpServer server([&](const HttpRequest&) { return reply; }, {.record = false});
  HttpServer dead(
      [](const HttpRequest&) { return HttpReply{.bytes = "", .then = HttpReply::Then::kSilence}; });
  Load load(server.Url("/"), width, held);
  for (int i = 0; i < held; ++i) load.Hold(dead.Url("/"));
  dead.AwaitRequests(static_cast<size_t>(held));
  load.Measure(state);
}
BENCHMARK(KeepAlive)
    ->ArgNames({"width", "body", "held"})
    ->Args({1, 20'000, 0})
    ->Args({16, 20'000, 0})
    ->Args({16, 20'000, 400})
    ->Args({256, 20'000, 0})
    ->Args({16, 200'000, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace opic::fetch

BENCHMARK_MAIN();

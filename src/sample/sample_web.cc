#include "sample/sample_web.h"

#include <algorithm>

#include "absl/synchronization/mutex.h"
#include "sample/answer.h"
#include "sample/changing_web.h"
#include "sample/http_server.h"
#include "sample/truth.h"
#include "sample/web_time.h"

namespace opic::sample {
namespace {

// Synchronised inside: the plan is immutable, hits have their lock.
class ServedWeb final : public SampleWeb {
 public:
  ServedWeb(ChangingWeb web, const Options& options, base::Clock& clock)
      : web_(std::move(web)), options_(options), clock_(clock) {}

  absl::Status Serve() {
    absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
        options_.address, options_.port, [this](const Request& request) { return Reply(request); },
        [this](Hit hit) { Record(std::move(hit)); });
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    return absl::OkStatus();
  }

  uint16_t port() const override { return server_->port(); }
  absl::Time start() const override { return options_.changes.start; }
  std::string seed_url() const override { return plan().UrlOf(plan().sites[0].front); }
  std::string connect_to() const override;
  std::vector<RankedPage> exact_ranks() const override;
  std::vector<std::string> reachable() const override;
  std::vector<Hit> hits() const override {
    absl::MutexLock lock(&mu_);
    return hits_;
  }

 private:
  const Web& plan() const { return web_.web(); }
  absl::Time Now() const { return WebTime(options_.changes, clock_.Now()); }
  Answer Reply(const Request& request) const {
    const absl::Time now = Now();
    return AnswerTo(
        plan(), [&](uint32_t page) { return web_.StateOf(page, now); }, request);
  }
  void Record(Hit hit) {
    absl::MutexLock lock(&mu_);
    if (hits_.size() < kHitsMax) hits_.push_back(std::move(hit));
  }

  const ChangingWeb web_;
  const Options options_;
  base::Clock& clock_;
  mutable absl::Mutex mu_;
  std::vector<Hit> hits_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<HttpServer> server_;  // last: it stops before what its thread uses is gone
};

std::string ServedWeb::connect_to() const {
  const std::string& address = options_.address;
  const bool ipv6 = address.find(':') != std::string::npos;
  return "::" + (ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(port());
}

std::vector<RankedPage> ServedWeb::exact_ranks() const {
  std::vector<RankedPage> ranks;
  for (const PageTruth& page : TruthAt(web_, Now())) {
    if (page.importance > 0) ranks.push_back({plan().UrlOf(page.page), page.importance});
  }
  std::sort(ranks.begin(), ranks.end(), [](const RankedPage& a, const RankedPage& b) {
    return a.importance != b.importance ? a.importance > b.importance : a.url < b.url;
  });
  return ranks;
}

std::vector<std::string> ServedWeb::reachable() const {
  std::vector<std::string> urls;
  for (const PageTruth& page : TruthAt(web_, Now())) {
    const bool forbidden = plan().pages[page.page].kind == PageKind::kForbidden;
    if (page.importance > 0 && !forbidden) urls.push_back(plan().UrlOf(page.page));
  }
  std::sort(urls.begin(), urls.end());
  return urls;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SampleWeb>> SampleWeb::Start(const Options& options,
                                                            base::Clock& clock) {
  Options started = options;
  if (started.changes.start == absl::InfinitePast()) started.changes.start = clock.Now();
  absl::StatusOr<ChangingWeb> web = ChangingWeb::Build(started);
  if (!web.ok()) return web.status();
  auto served = std::make_unique<ServedWeb>(*std::move(web), started, clock);
  if (absl::Status status = served->Serve(); !status.ok()) return status;
  return served;
}

}  // namespace opic::sample

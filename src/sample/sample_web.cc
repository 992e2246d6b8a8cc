#include "sample/sample_web.h"

#include <algorithm>

#include "absl/synchronization/mutex.h"
#include "graph/pagerank.h"
#include "sample/answer.h"
#include "sample/build_web.h"
#include "sample/http_server.h"

namespace opic::sample {
namespace {

// Synchronised inside: the plan is immutable, hits have their lock.
class ServedWeb final : public SampleWeb {
 public:
  ServedWeb(Web web, std::string address) : web_(std::move(web)), address_(std::move(address)) {}

  absl::Status Serve(uint16_t port) {
    absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
        address_, port, [this](const Request& request) { return AnswerTo(web_, request); },
        [this](Hit hit) { Record(std::move(hit)); });
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    return absl::OkStatus();
  }

  uint16_t port() const override { return server_->port(); }
  std::string seed_url() const override { return web_.UrlOf(web_.sites[0].front); }
  std::string connect_to() const override;
  std::vector<RankedPage> exact_ranks() const override;
  std::vector<std::string> reachable() const override;
  std::vector<Hit> hits() const override {
    absl::MutexLock lock(&mu_);
    return hits_;
  }

 private:
  void Record(Hit hit) {
    absl::MutexLock lock(&mu_);
    if (hits_.size() < kHitsMax) hits_.push_back(std::move(hit));
  }

  const Web web_;
  const std::string address_;
  mutable absl::Mutex mu_;
  std::vector<Hit> hits_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<HttpServer> server_;  // last: it stops before what its thread uses is gone
};

std::string ServedWeb::connect_to() const {
  const bool ipv6 = address_.find(':') != std::string::npos;
  return "::" + (ipv6 ? "[" + address_ + "]" : address_) + ":" + std::to_string(port());
}

std::vector<RankedPage> ServedWeb::exact_ranks() const {
  const std::vector<double> importance = graph::PageRank(web_.links);
  std::vector<RankedPage> ranks(importance.size());
  for (uint32_t page = 0; page < ranks.size(); ++page) {
    ranks[page] = {web_.UrlOf(page), importance[page]};
  }
  std::sort(ranks.begin(), ranks.end(), [](const RankedPage& a, const RankedPage& b) {
    return a.importance != b.importance ? a.importance > b.importance : a.url < b.url;
  });
  return ranks;
}

std::vector<std::string> ServedWeb::reachable() const {
  std::vector<std::string> urls;
  for (uint32_t page = 0; page < web_.pages.size(); ++page) {
    if (web_.pages[page].kind != PageKind::kForbidden) urls.push_back(web_.UrlOf(page));
  }
  std::sort(urls.begin(), urls.end());
  return urls;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SampleWeb>> SampleWeb::Start(const Options& options) {
  absl::StatusOr<Web> web = BuildWeb(options);
  if (!web.ok()) return web.status();
  auto served = std::make_unique<ServedWeb>(*std::move(web), options.address);
  if (absl::Status status = served->Serve(options.port); !status.ok()) return status;
  return served;
}

}  // namespace opic::sample

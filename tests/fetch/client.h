// A fetcher for tests: submit, and wait for the responses.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "fetch/fetcher.h"

namespace opic::fetch {

inline std::ostream& operator<<(std::ostream& out, Error error) { return out << Name(error); }

// Loopback allowed, and limits that end a test soon when it fails.
inline Options Local() {
  Options options;
  options.allow_private = true;
  options.connect_timeout = absl::Seconds(5);
  options.total_timeout = absl::Seconds(20);
  return options;
}

class Client {
 public:
  explicit Client(const Options& options = Local()) {
    auto fetcher = Fetcher::Start(options, [this](Response response) {
      absl::MutexLock lock(&mu_);
      responses_.push_back(std::move(response));
    });
    if (fetcher.ok()) {
      fetcher_ = *std::move(fetcher);
    } else {
      ADD_FAILURE() << fetcher.status();
    }
  }
  ~Client() { fetcher_.reset(); }  // before what its callback uses

  Fetcher& fetcher() { return *fetcher_; }
  bool Submit(Request request) { return fetcher_->Submit(std::move(request)); }

  // The `count` oldest responses not yet taken, in the order they came.
  std::vector<Response> Take(size_t count) {
    absl::MutexLock lock(&mu_);
    auto there = [&] { return responses_.size() >= count; };
    if (!mu_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(60))) {
      ADD_FAILURE() << responses_.size() << " of " << count << " responses came";
      responses_.resize(count);
    }
    const auto end = responses_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Response> taken(std::make_move_iterator(responses_.begin()),
                                std::make_move_iterator(end));
    responses_.erase(responses_.begin(), end);
    return taken;
  }

  Response Get(Request request) {
    if (!Submit(std::move(request))) {
      ADD_FAILURE() << "not taken";
      return {};
    }
    return std::move(Take(1)[0]);
  }
  Response Get(std::string url) { return Get(Request{.url = std::move(url)}); }

  size_t waiting() const {
    absl::MutexLock lock(&mu_);
    return responses_.size();
  }

 private:
  mutable absl::Mutex mu_;
  std::vector<Response> responses_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<Fetcher> fetcher_;
};

}  // namespace opic::fetch

// A cache of robots.txt verdicts over a store in memory, at a time that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "desk/robots_cache.h"
#include "tests/support/memory_store.h"

namespace opic::desk {

inline url::Url UrlOf(const std::string& text) { return *url::Parse(text); }

class RobotsCacheTest : public testing::Test {
 protected:
  void Restart() { cache_ = std::make_unique<RobotsCache>(options_, *store_); }
  void SetUp() override { Restart(); }

  RobotsCache::Verdict Lookup(const std::string& page) {
    const auto verdict = cache_->Lookup(UrlOf(page), now_);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(RobotsCache::Verdict());
  }
  // What must be fetched before the page; empty when the verdict is known.
  std::string Wanted(const std::string& page) {
    const RobotsCache::Verdict verdict = Lookup(page);
    return verdict.fetch ? std::string(verdict.fetch->text()) : "";
  }
  bool Allowed(const std::string& page) {
    const RobotsCache::Verdict verdict = Lookup(page);
    EXPECT_TRUE(verdict.rules) << "not known: " << page;
    return verdict.rules && verdict.rules->Allows(UrlOf(page).path_and_query());
  }
  // Answers the request that the page waits for.
  RobotsCache::Learned Tell(const std::string& page, fetch::Response response) {
    const auto learned = cache_->Answered(UrlOf(page), UrlOf(Wanted(page)), response, now_);
    EXPECT_TRUE(learned.ok()) << learned.status();
    return learned.value_or(RobotsCache::Learned());
  }
  RobotsCache::Learned TellStatus(const std::string& page, int status, std::string body = "") {
    fetch::Response response;
    response.status = status;
    response.body = std::move(body);
    return Tell(page, std::move(response));
  }
  RobotsCache::Learned TellRedirect(const std::string& page, const std::string& location) {
    fetch::Response response;
    response.status = 301;
    response.location = location;
    return Tell(page, std::move(response));
  }
  RobotsCache::Learned TellError(const std::string& page, fetch::Error error) {
    fetch::Response response;
    response.error = error;
    return Tell(page, std::move(response));
  }

  const std::string page_ = "http://a.test/page";
  RobotsCache::Options options_;
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<RobotsCache> cache_;
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
};

}  // namespace opic::desk

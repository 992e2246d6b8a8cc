// A crawl in virtual time: a node that offers pages, fetches for random durations and tells the
// outcomes; and a log of all fetches for an independent check.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "base/rng.h"
#include "scheduler/scheduler.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {

struct Fetch {
  std::string host, address;
  absl::Time start, end;
};

class CrawlModel {
 public:
  // A host with pages still to be offered.
  struct Site {
    std::string host, address;
    uint64_t pages = 0;
    absl::Duration fastest, slowest;  // a fetch takes between
  };

  CrawlModel(const Options& options, uint32_t fetches_max, std::vector<Site> sites, uint64_t seed)
      : sites_(std::move(sites)), rng_(seed), store_(NewMemoryStore()) {
    scheduler_ = *Scheduler::Open(options, *store_, now_);
    scheduler_->Handle(schedule::NodeHello{.node = "model", .fetches_max = fetches_max}, now_);
  }

  // Runs until everything is fetched, or until `end`.
  void Run(absl::Time end) {
    while (now_ < end) {
      for (const schedule::ToNode& message : scheduler_->Tick(now_)) {
        if (const auto* asked = std::get_if<schedule::Directive>(&message)) Answer(*asked);
        if (const auto* given = std::get_if<schedule::Orders>(&message)) Start(*given);
      }
      if (scheduler_->status(now_).exhausted) return;
      absl::Time next = scheduler_->next_wake();
      if (!running_.empty()) next = std::min(next, running_.top().end);
      if (next > end) return;
      now_ = std::max(now_, next);
      while (!running_.empty() && running_.top().end <= now_) Finish();
    }
  }

  const std::vector<Fetch>& log() const { return log_; }
  Scheduler& scheduler() { return *scheduler_; }
  absl::Time now() const { return now_; }
  static absl::Time start() { return absl::FromUnixSeconds(1'000'000'000); }

 private:
  struct Running {
    absl::Time end;
    PageId page;
    size_t site;
    friend bool operator>(const Running& a, const Running& b) {
      return std::tie(a.end, a.page) > std::tie(b.end, b.page);
    }
  };

  // Site by site round and round, so that hosts mix.
  void Answer(const schedule::Directive& asked) {
    schedule::Offers offers{.directive = asked.id};
    for (size_t idle = 0; offers.offers.size() < asked.want && idle < sites_.size();) {
      const size_t at = next_site_++ % sites_.size();
      if (sites_[at].pages == 0) {
        ++idle;
        continue;
      }
      idle = 0;
      const PageId page = PageId::FromWord(--sites_[at].pages << 20 | at);
      offers.offers.push_back({page, sites_[at].host, ::opic::cash::Amount(rng_.Below(100))});
    }
    offers.exhausted = offers.offers.size() < asked.want;
    scheduler_->Handle(offers, now_);
  }

  void Start(const schedule::Orders& given) {
    for (const schedule::Order& order : given.orders) {
      const size_t at = order.page.word() & 0xfffff;
      const Site& site = sites_[at];
      const absl::Time end = now_ + site.fastest + rng_.Uniform() * (site.slowest - site.fastest);
      log_.push_back({site.host, site.address, now_, end});
      running_.push({end, order.page, at});
    }
  }

  void Finish() {
    const Running done = running_.top();
    running_.pop();
    scheduler_->Handle(schedule::Outcome{.page = done.page,
                                         .host = sites_[done.site].host,
                                         .requested = true,
                                         .ended = done.end,
                                         .status = 200,
                                         .address = sites_[done.site].address},
                       now_);
  }

  std::vector<Site> sites_;
  base::Rng rng_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Scheduler> scheduler_;
  absl::Time now_ = start();
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::vector<Fetch> log_;
  size_t next_site_ = 0;
};

}  // namespace opic::scheduler

// A plan of refreshes over a ledger in memory, and a clock that the test moves.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "node/refresh_plan.h"
#include "refresh/content_hash.h"
#include "store/store.h"
#include "tests/support/memory_store.h"
#include "url/page_id.h"

namespace opic::node {

using ledger::VisitKind;

inline constexpr int kPages = 200;
inline constexpr int kHosts = 10;

class RefreshPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    ledger::Charter charter;
    charter.cluster_id = 7;
    charter.shards = 64;
    auto opened = ledger::Ledger::Open({}, *store_, &charter);
    ASSERT_TRUE(opened.ok()) << opened.status();
    ledger_ = *std::move(opened);
    std::vector<ledger::Link> links;
    for (int i = 0; i < pages(); ++i) links.push_back({PageOf(i), UrlOf(i)});
    ledger_->Seed(links);
    ASSERT_TRUE(ledger_->Commit().ok());
    for (int i = 0; i < pages(); ++i) number_[PageOf(i)] = i;
  }
  virtual int pages() const { return kPages; }

  static std::string UrlOf(int page) {
    return "http://host" + std::to_string(page % kHosts) + ".test/" + std::to_string(page);
  }
  PageId PageOf(int page) const { return hash_.PageOf(*url::Parse(UrlOf(page))); }

  void Open(const RefreshOptions& options = {.pages_per_s = 2, .share = 0.5}) {
    auto opened = RefreshPlan::Open(options, *ledger_, *store_, testing::TempDir(), now_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    plan_ = *std::move(opened);
  }
  // A turn of the ledger's loop with these visits. Each links to the next page.
  void Turn(std::vector<ledger::Visit> visits) {
    ASSERT_TRUE(plan_->Step(now_).ok());
    ASSERT_TRUE(plan_->Plan(absl::MakeSpan(visits), now_).ok());
    ASSERT_TRUE(ledger_->Record(visits).ok());
    ASSERT_TRUE(ledger_->Commit().ok());
  }
  ledger::Visit Reading(int page, uint64_t content = 1,
                        VisitKind kind = VisitKind::kFetched) const {
    ledger::Visit visit;
    visit.page = PageOf(page);
    visit.kind = kind;
    visit.http_status = 200;
    visit.at = absl::ToUnixSeconds(now_);
    if (kind == VisitKind::kFetched) {
      visit.content_hash = refresh::HashOfBytes(2 * content + 2);
      const int next = (page + 1) % kPages;
      visit.links = {{PageOf(next), UrlOf(next)}};
    }
    return visit;
  }
  void ReadAll() {
    for (int page = 0; page < pages(); ++page) Turn({Reading(page)});
  }
  // What is due now, as pages, which are offered thereby.
  std::vector<int> TakeDue(size_t most = kPages) {
    for (int i = 0; i < 2 * kPages / 64 + 2; ++i) EXPECT_TRUE(plan_->Step(now_).ok());
    std::vector<int> due;
    for (const schedule::Candidate& candidate : plan_->TakeDue(most))
      due.push_back(number_.at(candidate.page));
    return due;
  }
  refresh::PagePlan PlanOf(int page) {
    const auto bytes = store_->Get(store::Table::kHistory, ledger::KeyOf(PageOf(page)));
    const auto row = ledger::DecodeHistoryRow(**bytes, ledger_->window());
    return refresh::PagePlan::Decode(row->plan).value();
  }

  // What the page is worth now if it has recorded this.
  double Estimate(int page, const importance::History& history) const {
    const auto cell = ledger_->books().table().Find(PageOf(page));
    return ledger_->accounting().Estimate(history, cell->cash.value());
  }
  static void ExpectWeightOf(double importance, const refresh::PagePlan& plan) {
    const auto weight = refresh::RefreshWeight::Of(importance, plan.rate.value());
    EXPECT_NEAR(plan.weight.code(), weight.code(), 2);  // of a rounded rate
  }

  const std::unique_ptr<store::Store> store_ = NewMemoryStore();
  const url::UrlHash hash_{url::ShardBy::kHost, 64};
  std::unique_ptr<ledger::Ledger> ledger_;
  std::map<PageId, int> number_;
  std::unique_ptr<RefreshPlan> plan_;
  absl::Time now_ = absl::FromUnixSeconds(1'790'000'000);
};

}  // namespace opic::node

// A ledger of a small random graph, for tests of what is asked about its pages.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/rng.h"
#include "desk/left_out.h"
#include "node/answers.h"
#include "tests/support/memory_store.h"

namespace opic::node {

class RankingFixture : public testing::Test {
 protected:
  static constexpr int kPages = 60;
  static constexpr uint32_t kShards = 4;

  explicit RankingFixture(url::ShardBy shard_by = url::ShardBy::kHost, bool pushes = false)
      : shard_by_(shard_by), pushes_(pushes), hash_(shard_by, kShards) {}
  void SetUp() override {
    ledger::Charter charter =
        pushes_ ? ledger::Charter::ForNewCrawl() : ledger::Charter();  // windows
    charter.cluster_id = 7;
    charter.shards = kShards;
    charter.shard_by = shard_by_;
    auto opened = ledger::Ledger::Open({}, *store_, &charter);
    ASSERT_TRUE(opened.ok()) << opened.status();
    ledger_ = *std::move(opened);
    for (int i = 0; i < 5; ++i) ledger_->Seed({LinkTo(i)});
    Commit();
  }

  static std::string UrlOf(int page) {
    return (page % 2 == 0 ? "http://host" : "http://www.host") + std::to_string(page % 7) +
           ".test/" + std::to_string(page);
  }
  PageId PageOf(int page) const { return hash_.PageOf(*url::Parse(UrlOf(page))); }
  ledger::Link LinkTo(int page) const { return {PageOf(page), UrlOf(page)}; }
  void Commit() { ASSERT_TRUE(ledger_->Commit().ok()); }

  // Fetches a known page; its links are drawn.
  void Fetch(int page) {
    ledger::Visit visit;
    visit.page = PageOf(page);
    visit.http_status = 200;
    visit.at = 1'700'000'000;
    absl::flat_hash_map<PageId, std::string> links;
    for (int i = 0; i < 6; ++i) {
      const int to = static_cast<int>(std::min(rng_.Below(kPages), rng_.Below(kPages)));
      links.emplace(PageOf(to), UrlOf(to));
    }
    for (const auto& [id, url] : links) visit.links.push_back({id, url});
    ASSERT_TRUE(ledger_->Record({visit}).ok());
    Commit();
  }
  // Fetches a known page that pays its canonical alone.
  void FetchForCanonical(int page, int canonical) {
    ledger::Visit visit;
    visit.page = PageOf(page);
    visit.http_status = desk::RowStatusOf(200, {.canonical = true});
    visit.at = 1'700'000'000;
    visit.links = {LinkTo(canonical)};
    ASSERT_TRUE(ledger_->Record({visit}).ok());
    Commit();
  }
  // Fetches known pages, each once, until `count` are done.
  void FetchPages(int count) {
    for (int round = 0; round < kPages && done() < count; ++round) {
      for (int page = 0; page < kPages && done() < count; ++page) {
        const auto known = ledger_->books().table().Find(PageOf(page));
        if (known && !known->done) Fetch(page);
      }
    }
  }
  void SettleAll(int rounds) {
    std::vector<PageId> pages;
    for (int page = 0; page < kPages; ++page) {
      const auto known = ledger_->books().table().Find(PageOf(page));
      if (known && known->done) pages.push_back(PageOf(page));
    }
    for (int i = 0; i < rounds; ++i) {
      ASSERT_TRUE(ledger_->Settle(pages).ok());
      Commit();
    }
  }
  int done() const { return static_cast<int>(ledger_->books().table().totals().done); }
  uint64_t known() const { return ledger_->books().table().totals().pages; }

  PageImportance Ask(const std::string& url) {
    const auto page = ImportanceOf(*ledger_, *store_, hash_, url);
    EXPECT_TRUE(page.ok()) << page.status();
    return page.value_or(PageImportance());
  }
  Answers::TopPages TopOf(const TopQuery& query) {
    auto top = AnswerTop(*ledger_, *store_, query,
                         [](absl::FunctionRef<absl::Status()> step) { return step(); });
    EXPECT_TRUE(top.ok()) << top.status();
    return top.value_or(Answers::TopPages());
  }
  std::vector<PageImportance> Top(size_t count) { return TopOf({count}).pages; }
  // The obvious way.
  std::vector<PageImportance> SortOfAll() {
    std::vector<PageImportance> all;
    for (int page = 0; page < kPages; ++page) {
      const PageImportance importance = Ask(UrlOf(page));
      if (importance.known) all.push_back(importance);
    }
    std::sort(all.begin(), all.end(), [](const PageImportance& a, const PageImportance& b) {
      return a.importance != b.importance ? a.importance > b.importance : a.url < b.url;
    });
    return all;
  }
  static std::vector<std::string> UrlsOf(const std::vector<PageImportance>& pages, size_t count) {
    std::vector<std::string> urls;
    for (size_t i = 0; i < std::min(count, pages.size()); ++i) urls.push_back(pages[i].url);
    return urls;
  }

  base::Rng rng_{1};
  const url::ShardBy shard_by_;
  const bool pushes_;  // ledger push; else windows
  const url::UrlHash hash_;
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<ledger::Ledger> ledger_;
};

}  // namespace opic::node

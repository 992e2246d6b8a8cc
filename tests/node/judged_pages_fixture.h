// A node that judges pages by what was read before (node/first_pages.h), over a ledger in memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/first_pages.h"
#include "tests/support/memory_store.h"
#include "url/page_id.h"

namespace opic::node {

using desk::DuplicateUse;
using ledger::VisitKind;

class JudgedPagesTest : public testing::Test {
 protected:
  static constexpr NodeId kA{0}, kB{1};
  static constexpr uint32_t kFourShards = 4;

  // A node of two. All shards are those of kA at first.
  struct Member {
    explicit Member(NodeId node, size_t batch_bytes_max = 1 << 20) {
      ledger::Options options;
      options.batch_bytes_max = batch_bytes_max;
      options.owner = [](ShardId) { return kA; };
      options.nodes = 2;
      ledger::Charter charter;
      charter.cluster_id = 7;
      charter.shards = kFourShards;
      charter.node = node;
      charter.genesis = node == kA ? cash::kSupply : cash::Amount();
      ledger = ledger::Ledger::Open(options, *store, &charter).value();
      Restart(DuplicateUse::kMerge);
    }
    void Restart(DuplicateUse use, DuplicateUse near_use = DuplicateUse::kOff) {
      pages = std::make_unique<FirstPages>(use, near_use, *ledger, *store);
      ledger->CompleteGroups([this] { return pages->TakeMoves(); });
    }
    void Commit() {
      ASSERT_TRUE(ledger->Commit().ok());
      pages->Committed();
    }

    const std::unique_ptr<store::Store> store = NewMemoryStore();
    std::unique_ptr<ledger::Ledger> ledger;
    std::unique_ptr<FirstPages> pages;
  };

  // All of one site.
  virtual std::string UrlOf(int page) const { return "http://a.test/" + std::to_string(page); }
  PageId PageOf(int page) const { return hash_.PageOf(*url::Parse(UrlOf(page))); }
  void SeedPages(int count) {
    for (int page = 0; page < count; ++page) a_.ledger->Seed({{PageOf(page), UrlOf(page)}});
    a_.Commit();
  }

  // As the desk tells them: a visit that ended so, and a reading of a content, with a link.
  ledger::Visit Ended(int page, VisitKind kind, uint16_t status) {
    ledger::Visit visit{PageOf(page), kind, status};
    visit.at = 1'700'000'000;
    visit.content_key_before = KeyBefore(page);
    return visit;
  }
  ledger::Visit ReadingOf(int page, uint64_t content_hash, int link) {
    ledger::Visit visit = Ended(page, VisitKind::kFetched, 200);
    visit.links = {{PageOf(link), UrlOf(link)}};
    visit.content_hash = content_hash;
    visit.content_key = KeyOfHash(content_hash);
    return visit;
  }
  uint64_t KeyOfHash(uint64_t content_hash) const {
    return desk::ContentKeyOf(*url::Parse(UrlOf(0)), content_hash);
  }
  uint64_t KeyBefore(int page) {
    const std::optional<ledger::HistoryRow> row = RowOf(page);
    return row ? desk::ContentKeyOf(*url::Parse(UrlOf(page)), *row) : 0;
  }
  std::optional<ledger::HistoryRow> RowOf(int page) {
    const auto row = a_.store->Get(store::Table::kHistory, ledger::KeyOf(PageOf(page)));
    if (!*row) return std::nullopt;
    return ledger::DecodeHistoryRow(**row, a_.ledger->window()).value();
  }
  void Group(std::vector<ledger::Visit> visits) {
    ASSERT_TRUE(a_.pages->Judge(absl::MakeSpan(visits)).ok());
    ASSERT_TRUE(a_.ledger->Record(visits).ok());
    a_.Commit();
  }

  const url::UrlHash hash_{url::ShardBy::kHost, kFourShards};
  Member a_{kA};
};

}  // namespace opic::node

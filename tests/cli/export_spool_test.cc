// Pages of a running node, read into a file while the node comes and goes.
#include "cli/export_spool.h"

#include <gtest/gtest.h>

namespace opic::cli {
namespace {

// A node with pages 1 to `pages`, three an answer.
class SpoolTest : public testing::Test {
 protected:
  static PageId Page(uint64_t id) { return PageId(ShardId{1}, id); }

  absl::StatusOr<node::ExportedRows> Read(const node::ExportPosition& position) {
    ++questions_;
    if (const auto at = failures_.find(questions_); at != failures_.end()) return at->second;
    if (restarts_at_ == questions_) ++cut_;
    node::ExportedRows rows{.cut = cut_};
    rows.head.totals.pages = pages_;
    const uint64_t after = position.after ? position.after->id() : 0;
    for (uint64_t id = after + 1; id <= pages_ && rows.pages.size() < 3; ++id) {
      node::PageRecord page;
      page.page = Page(id);
      page.url = "http://a.test/" + std::string(id % 3 * 100'000, 'x');
      page.links = {Page(id + 1)};
      rows.pages.push_back(page);
    }
    rows.last = rows.pages.empty() || rows.pages.back().page.id() == pages_;
    return rows;
  }
  absl::StatusOr<Spooled> Spooling(absl::Duration patience = absl::Seconds(30)) {
    return Spool([this](const node::ExportPosition& position) { return Read(position); },
                 {.folder = testing::TempDir(),
                  .patience = {.most = patience, .pause = absl::ZeroDuration()}});
  }
  // The pages' ids; each must be whole.
  std::vector<uint64_t> Pages(node::CrawlPart& part) {
    std::vector<uint64_t> ids;
    const auto reader = part.Read();
    node::PageRecord page;
    for (absl::StatusOr<bool> there = reader->Next(page);; there = reader->Next(page)) {
      EXPECT_TRUE(there.ok()) << there.status();
      if (!there.ok() || !*there) break;
      ids.push_back(page.page.id());
      EXPECT_EQ(page.url.size(), 14 + ids.back() % 3 * 100'000);
      EXPECT_EQ(page.links, std::vector<PageId>{Page(ids.back() + 1)});
    }
    return ids;
  }
  std::vector<uint64_t> AllPages() const {
    std::vector<uint64_t> all;
    for (uint64_t id = 1; id <= pages_; ++id) all.push_back(id);
    return all;
  }

  uint64_t pages_ = 31, cut_ = 5;
  int questions_ = 0, restarts_at_ = 0;
  std::map<int, absl::Status> failures_;  // by question
};

TEST_F(SpoolTest, PagesCanBeReadAgainAndAgain) {
  const auto spooled = Spooling();
  ASSERT_TRUE(spooled.ok()) << spooled.status();
  EXPECT_EQ(spooled->cuts, 1u);
  EXPECT_EQ(spooled->part->head().totals.pages, pages_);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Pages(*spooled->part), AllPages());
}

TEST_F(SpoolTest, ANodeThatIsRestartedIsAskedAgainAtTheSamePlace) {
  failures_ = {{1, absl::UnavailableError("the node is starting")},
               {4, absl::UnavailableError("connection refused")},
               {5, absl::DeadlineExceededError("no answer")}};
  restarts_at_ = 6;
  const auto spooled = Spooling();
  ASSERT_TRUE(spooled.ok()) << spooled.status();
  EXPECT_EQ(spooled->cuts, 2u);
  EXPECT_EQ(Pages(*spooled->part), AllPages());
}

TEST_F(SpoolTest, ANodeThatStaysAwayIsGivenUp) {
  failures_ = {{2, absl::UnavailableError("away")}, {3, absl::UnavailableError("away")}};
  EXPECT_TRUE(absl::IsUnavailable(Spooling(absl::ZeroDuration()).status()));
}

TEST_F(SpoolTest, WhatIsGivenUpIsReadNoFurther) {
  bool given_up = false;
  const auto spooled = Spool(
      [&](const node::ExportPosition& position) {
        given_up = questions_ == 2;
        return Read(position);
      },
      {.folder = testing::TempDir(), .patience = {.given_up = [&] { return given_up; }}});
  EXPECT_TRUE(absl::IsCancelled(spooled.status())) << spooled.status();
  EXPECT_EQ(questions_, 3);
}

TEST_F(SpoolTest, ARefusalIsNotAskedAgain) {
  failures_ = {{2, absl::PermissionDeniedError("this needs the role reader")}};
  EXPECT_TRUE(absl::IsPermissionDenied(Spooling().status()));
  EXPECT_EQ(questions_, 2);
}

TEST_F(SpoolTest, ACrawlWithoutPagesIsEmpty) {
  pages_ = 0;
  const auto spooled = Spooling();
  ASSERT_TRUE(spooled.ok()) << spooled.status();
  EXPECT_TRUE(Pages(*spooled->part).empty());
}

}  // namespace
}  // namespace opic::cli

#include "cli/host_figures.h"

#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"

namespace opic::cli {
namespace {

class HostTableTest : public testing::Test {
 protected:
  node::ExportedPage& Add(const std::string& url, const std::string& state, uint64_t content = 0) {
    node::ExportedPage page;
    page.number = static_cast<uint32_t>(pages_.size());
    page.record.page = PageId::FromWord(1 + pages_.size());
    page.record.url = url;
    page.record.state = state;
    page.record.visits = state == "unread" ? 0 : 1;
    page.record.content_hash = content;
    pages_.push_back(page);
    return pages_.back();
  }
  // `many` pages, the content of each by its number.
  void Fetch(const std::string& host, int many, const std::function<uint64_t(int)>& content) {
    for (int i = 0; i < many; ++i)
      Add(absl::StrCat("http://", host, "/", i), "fetched", content(i));
  }
  const HostFigures& Of(const std::string& host) {
    for (const node::ExportedPage& page : pages_) table_.Look(page);
    for (const node::ExportedPage& page : pages_) table_.LookAgain(page);
    return table_.hosts().at(host);
  }

  void MakeNear(size_t number, uint64_t first_content) {
    pages_[number].record.near_hash = first_content;
  }

  std::vector<node::ExportedPage> pages_;
  HostTable table_{absl::FromCivil(absl::CivilDay(2026, 11, 23), absl::UTCTimeZone())};
};

TEST_F(HostTableTest, PagesAreCountedByHostAndState) {
  Add("http://a.test/", "fetched", 3);
  Add("https://a.test:8443/x", "unread");
  Add("http://b.test/", "gone");
  pages_.emplace_back().known = false;
  const HostFigures& a = Of("a.test");
  EXPECT_EQ(a.pages, 2u);
  EXPECT_EQ(a.fetched(), 1u);
  EXPECT_EQ(a.unread(), 1u);
  EXPECT_EQ(a.suspects(), 0u);
  EXPECT_EQ(table_.hosts().size(), 2u);
}

TEST_F(HostTableTest, TrapsAreCountedByRuleWithAnExample) {
  Add("http://a.test/cal/2040/01/", "out_of_scope");
  Add("http://a.test/cal/2040/02/", "fetched");
  Add("http://a.test/1800/01/", "out_of_scope");  // for another reason: it is not certain
  const HostFigures& a = Of("a.test");
  const Suspects& future = a.traps.at(url::Trap::kFutureDate);
  EXPECT_EQ(future.pages, 2u);
  EXPECT_EQ(future.example, "http://a.test/cal/2040/01/");
  EXPECT_EQ(a.traps.at(url::Trap::kPastDate).pages, 1u);
  EXPECT_EQ(a.skipped, 1u);
  EXPECT_EQ(a.suspects(), 2u);
}

// An export calls them so before their turn has come, and `opic status` counts them as unread.
TEST_F(HostTableTest, PagesOutOfScopeAreUnreadUntilTheyAreVisited) {
  Add("http://a.test/", "fetched", 3);
  Add("http://b.test/", "out_of_scope").record.visits = 0;
  Add("http://b.test/cal/2040/01/", "out_of_scope").record.visits = 0;
  Add("http://b.test/cal/2040/02/", "out_of_scope");
  const HostFigures& b = Of("b.test");
  EXPECT_EQ(b.pages, 3u);
  EXPECT_EQ(b.unread(), 2u);
  EXPECT_EQ(b.Of(ledger::VisitKind::kOutOfScope), 1u);
  EXPECT_EQ(b.traps.at(url::Trap::kFutureDate).pages, 2u);
  EXPECT_EQ(b.skipped, 1u);
}

// Between pages that differ, and with more contents than there are counters.
TEST_F(HostTableTest, TheMostFrequentContentIsCountedExactly) {
  Fetch("a.test", 90, [](int i) { return i % 3 == 1 ? 7 : 1'000 + i; });
  Fetch("b.test", 90, [](int i) { return 1'000 + i; });
  const HostFigures& a = Of("a.test");
  EXPECT_EQ(a.same_content.pages, 30u);
  EXPECT_EQ(a.same_content.example, "http://a.test/1");
  EXPECT_TRUE(a.HasSoft404());
  EXPECT_FALSE(table_.hosts().at("b.test").HasSoft404());
}

TEST_F(HostTableTest, AFewEmptyPagesAreNoSoft404) {
  Fetch("few.test", 30, [](int i) { return i < 19 ? 7 : 1'000 + i; });
  Fetch("large.test", 100, [](int i) { return i % 5 == 0 ? 7 : 1'000 + i; });
  EXPECT_FALSE(Of("few.test").HasSoft404());
  EXPECT_FALSE(table_.hosts().at("large.test").HasSoft404());
}

// The excuse names what was asked for. The first page of them may be any.
TEST_F(HostTableTest, NearlyTheSameContentIsTold) {
  Fetch("a.test", 60, [](int i) { return 1'000 + i; });
  for (size_t i = 20; i < 50; ++i) MakeNear(i, 1'010);
  Fetch("few.test", 60, [](int i) { return 2'000 + i; });
  for (size_t i = 60; i < 74; ++i) MakeNear(i, 2'050);
  const HostFigures& a = Of("a.test");
  EXPECT_EQ(a.same_content.pages, 31u);
  EXPECT_EQ(a.nearly, 30u);
  EXPECT_EQ(a.same_content.example, "http://a.test/10");
  EXPECT_TRUE(a.HasSoft404());
  EXPECT_FALSE(table_.hosts().at("few.test").HasSoft404());
}

TEST_F(HostTableTest, LongChainsOfRedirectsAndCirclesAreFound) {
  for (uint32_t i = 0; i < 7; ++i)
    Add(absl::StrCat("http://chain.test/", i), "redirect").links = {i + 1};
  Add("http://end.test/", "fetched", 3);  // 7
  Add("http://loop.test/a", "redirect").links = {9};
  Add("http://loop.test/b", "redirect").links = {8};
  const Suspects& chain = Of("chain.test").long_redirects;
  EXPECT_EQ(chain.pages, 2u) << "of seven in a row the first two begin more than five";
  EXPECT_EQ(chain.example, "http://chain.test/0");
  EXPECT_EQ(table_.hosts().at("loop.test").long_redirects.pages, 2u);
  EXPECT_EQ(table_.hosts().at("end.test").long_redirects.pages, 0u);
}

TEST_F(HostTableTest, HostsAboveTheBoundAreCountedAndLeftOut) {
  Add("http://a.test/", "fetched", 3);
  Add("http://b.test/", "fetched", 3);
  Add("http://a.test/x", "fetched", 3);
  HostTable table(absl::UnixEpoch(), 1);
  for (const node::ExportedPage& page : pages_) table.Look(page);
  for (const node::ExportedPage& page : pages_) table.LookAgain(page);
  ASSERT_EQ(table.hosts().size(), 1u);
  EXPECT_EQ(table.hosts().at("a.test").pages, 2u);
  EXPECT_EQ(table.pages_left_out(), 1u);
}

}  // namespace
}  // namespace opic::cli

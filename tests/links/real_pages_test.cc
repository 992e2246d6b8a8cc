// The linear scanner and the guard against Gumbo's tree, on pages that people wrote, and on these
// with tags lost, moved and repeated.
//
//   OPIC_TEST_PAGES=/usr/share/doc links_test --gtest_filter='RealPages.*'   # those of a folder
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/rng.h"
#include "html_page.h"
#include "links/html_guard.h"
#include "tag_soup.h"

namespace opic::links {
namespace {

struct Page {
  std::string path, text;
};

std::vector<Page> ReadPages() {
  const char* folder = std::getenv("OPIC_TEST_PAGES");
  std::vector<Page> pages;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder == nullptr ? OPIC_PAGES : folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".html") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    pages.push_back({entry.path(), {std::istreambuf_iterator<char>(file), {}}});
  }
  return pages;
}

const std::vector<Page>& Pages() {
  static const std::vector<Page> pages = ReadPages();
  return pages;
}

std::set<std::string> LinkSet(const Result& result) {
  const std::vector<std::string> links = Links(result);
  return {links.begin(), links.end()};
}

GuardVerdict Judge(std::string_view text) { return CheckForGumbo(text, GuardLimits()); }

// One change: a tag, or a piece that begins with one, is lost, repeated, put elsewhere, or broken.
void Change(std::string& text, base::Rng& rng) {
  const size_t begin = text.find('<', rng.Below(text.size()));
  if (begin == std::string::npos) return;
  const size_t end = text.find('>', begin);
  if (end == std::string::npos) return;
  const std::string tag = text.substr(begin, end + 1 - begin);
  const size_t elsewhere = rng.Below(text.size());
  switch (rng.Below(6)) {
    case 0:
      text.erase(begin, tag.size());
      return;
    case 1:
      for (uint64_t i = rng.Below(100); i > 0; --i) text.insert(begin, tag);
      return;
    case 2:
      text.insert(elsewhere, tag);
      return;
    case 3:
      text.insert(begin, SoupToken(rng));
      return;
    case 4:
      text[elsewhere] = "<>/\"'=! -a"[rng.Below(10)];
      return;
    default:
      text.insert(elsewhere, text.substr(begin, rng.Below(3000)));
      return;
  }
}

std::string Changed(std::string text, base::Rng& rng) {
  for (uint64_t i = 1 + rng.Below(8); i > 0 && !text.empty(); --i) Change(text, rng);
  return text;
}

// In the same order, but where the tree has moved content out of a table, to stand before it.
TEST(RealPages, ScannerFindsWhatTheTreeHolds) {
  ASSERT_GE(Pages().size(), 4u);
  size_t links = 0;
  for (const Page& page : Pages()) {
    if (Judge(page.text) != GuardVerdict::kSafe) continue;
    const Result tree = ByGumbo(page.text), scan = ByScanner(page.text);
    if (MeasureTree(page.text).in_order) {
      EXPECT_EQ(Links(scan), Links(tree)) << page.path;
    }
    EXPECT_EQ(LinkSet(scan), LinkSet(tree)) << page.path;
    EXPECT_EQ(scan.rejected, tree.rejected) << page.path;
    EXPECT_EQ(scan.nofollowed, tree.nofollowed) << page.path;
    links += scan.links.size();
  }
  EXPECT_GT(links, 40u);
}

// Two of 4,424 pages of cppreference have a link between two cells.
TEST(RealPages, OnlyContentThatIsMovedOutOfATableIsInAnotherOrder) {
  using Strings = std::vector<std::string>;
  const std::string page = "<table><td><a href=cell></td><a href=between></table><a href=after>";
  EXPECT_FALSE(MeasureTree(page).in_order);
  EXPECT_EQ(Links(ByGumbo(page)), (Strings{"/dir/between", "/dir/cell", "/dir/after"}));
  EXPECT_EQ(Links(ByScanner(page)), (Strings{"/dir/cell", "/dir/between", "/dir/after"}));
  EXPECT_TRUE(MeasureTree("<p><b>x<table><td><a href=cell></table><p><a href=after>").in_order);
}

TEST(RealPages, TheGuardLetsThemPass) {
  size_t refused = 0;
  for (const Page& page : Pages()) refused += Judge(page.text) == GuardVerdict::kSafe ? 0 : 1;
  EXPECT_LE(refused, Pages().size() / 100);
}

// What passes takes a bounded tree, and holds the links that the scanner finds; their order may
// differ, where the tree moves content out of a table.
TEST(RealPages, HoweverChangedTreeAndScannerAgree) {
  int passed = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    base::Rng rng(seed);
    const std::string text = Changed(Pages()[rng.Below(Pages().size())].text, rng);
    if (Judge(text) != GuardVerdict::kSafe) continue;
    ++passed;
    const TreeSize tree = MeasureTree(text);
    EXPECT_LE(tree.depth, 2 * GuardLimits().depth_max + 8) << "seed " << seed;
    EXPECT_LE(tree.bytes, text.size() * 256 + 200'000) << "seed " << seed;
    EXPECT_EQ(LinkSet(ByScanner(text)), LinkSet(ByGumbo(text))) << "seed " << seed;
  }
  EXPECT_GT(passed, 100);
}

void ExpectOneWalkForTwo(const std::string& text, const std::string& name) {
  const OneWalk walk = InOneWalk(text);
  EXPECT_EQ(Links(walk.result), Links(ByScanner(text))) << name;
  EXPECT_EQ(walk.text, ReaderTextOf(text, /*with_sketch=*/true)) << name;
}

TEST(RealPages, OneWalkFindsTheLinksAndTheText) {
  for (const Page& page : Pages()) ExpectOneWalkForTwo(page.text, page.path);
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed);
    const std::string& page = Pages()[rng.Below(Pages().size())].text;
    ExpectOneWalkForTwo(Changed(page, rng), "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace opic::links

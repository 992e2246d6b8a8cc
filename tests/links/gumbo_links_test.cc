#include "links/gumbo_links.h"

#include <gtest/gtest.h>

#include "html_page.h"
#include "links/arena.h"

namespace opic::links {
namespace {

TEST(Arena, SaysOnceWhenItIsExhaustedAndGoesOn) {
  int said = 0;
  Arena arena(1 << 20, [&said] { ++said; });
  for (int i = 0; i < 64; ++i) EXPECT_NE(arena.Allocate(64 << 10), nullptr);
  EXPECT_EQ(said, 1);
  EXPECT_TRUE(arena.exhausted());
}

TEST(Arena, LastPieceCanBeGivenBack) {
  Arena arena(1 << 20, [] {});
  void* const first = arena.Allocate(100);
  arena.Free(first);
  EXPECT_EQ(arena.Allocate(50), first);
  void* const second = arena.Allocate(50);
  arena.Free(first);
  EXPECT_NE(arena.Allocate(50), second);
}

// Forty unclosed formatting elements, repeated by each paragraph: the tree is a hundred times the
// text.
TEST(GumboLinks, MemoryStopsSoonAfterTheCap) {
  std::string text = "<p>";
  for (int i = 0; i < 40; ++i) text += "<font size=" + std::to_string(i) + ">";
  for (int i = 0; i < 50'000; ++i) text += "<p>x";
  constexpr size_t kCap = 4 << 20;
  const url::Url page = PageUrl();
  Result result;
  const Limits limits;
  LinkSink sink(page, limits, result);
  LinkElements elements(sink, result, "opic");
  const GumboOutcome outcome = GumboLinks("<a href=x></a>" + text, kCap, elements);
  EXPECT_FALSE(outcome.finished);
  EXPECT_LE(outcome.arena_bytes, kCap + 4 * text.size() + (2 << 20));
  EXPECT_TRUE(result.links.empty());
}

// Gumbo's own destructor is recursive, and so would be a careless walk.
TEST(GumboLinks, DeepTreesDoNotOverflowTheStack) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "<svg>";
  EXPECT_EQ(Links(ByGumbo(text + "<a href=x>")), std::vector<std::string>{"/dir/x"});
}

}  // namespace
}  // namespace opic::links

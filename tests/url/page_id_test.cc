#include "url/page_id.h"

#include <gtest/gtest.h>

namespace opic::url {
namespace {

// The on-disk format: these numbers never change.
TEST(UrlHashTest, GoldenValues) {
  const auto url = Parse("http://www.example.org/a/b?x=1");
  const PageId by_host = UrlHash(ShardBy::kHost, 1024).PageOf(*url);
  const PageId by_url = UrlHash(ShardBy::kUrl, 1024).PageOf(*url);
  EXPECT_EQ(by_host.shard().value, 737);
  EXPECT_EQ(by_host.id(), 30504475731852u);
  EXPECT_EQ(by_url.shard().value, 755);
  EXPECT_EQ(by_url.id(), by_host.id());
}

TEST(UrlHashTest, HostKeepsASiteOnOneShard) {
  const UrlHash hash(ShardBy::kHost, 1024);
  const PageId page = hash.PageOf(*Parse("http://example.org/a"));
  const PageId other = hash.PageOf(*Parse("https://example.org:8443/b"));
  EXPECT_EQ(page.shard(), other.shard());
  EXPECT_EQ(page.shard(), hash.ShardOfHost("example.org"));
  EXPECT_NE(page.id(), other.id());
}

TEST(UrlHashTest, UrlSpreadsASiteEvenly) {
  const UrlHash hash(ShardBy::kUrl, 16);
  int pages_of[16] = {};
  for (int page = 0; page < 16000; ++page) {
    ++pages_of[hash.PageOf(*Parse("http://example.org/" + std::to_string(page))).shard().value];
  }
  for (int pages : pages_of) EXPECT_NEAR(pages, 1000, 200);  // six standard deviations
}

TEST(UrlHashTest, HomeOfAHostDoesNotDependOnTheMode) {
  const UrlHash by_host(ShardBy::kHost, 1024), by_url(ShardBy::kUrl, 1024);
  EXPECT_EQ(by_host.ShardOfHost("example.org"), by_url.ShardOfHost("example.org"));
}

TEST(UrlHashTest, ExtremeShardCounts) {
  const auto url = Parse("http://example.org/");
  EXPECT_EQ(UrlHash(ShardBy::kHost, 1).PageOf(*url).shard().value, 0);
  const PageId page = UrlHash(ShardBy::kHost, 65536).PageOf(*url);
  EXPECT_TRUE(PageId::IsValidWord(page.word()));
}

TEST(UrlHashDeathTest, ShardsMustBeAPowerOfTwo) {
  EXPECT_DEATH(UrlHash(ShardBy::kHost, 1000), "power_of_two");
  EXPECT_DEATH(UrlHash(ShardBy::kHost, 0), "power_of_two");
  EXPECT_DEATH(UrlHash(ShardBy::kHost, 131072), "65536");
}

}  // namespace
}  // namespace opic::url

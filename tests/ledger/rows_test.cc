// The rows of a page and their bytes (docs/formats/store.md).
#include "ledger/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/escaping.h"
#include "base/encoding.h"
#include "base/rng.h"
#include "store/value_tail.h"

namespace opic::ledger {
namespace {

const PageId kPage(ShardId{5}, 0x123456789ab);

PageRow SomePageRow() {
  return {.url = "http://a.example/b", .depth = 3, .stamp = cash::Sum{1} << 70, .prior = 0.25f};
}

HistoryRow SomeHistoryRow() {
  HistoryRow row;
  row.kind = VisitKind::kRedirect;
  row.http_status = 301;
  row.visits = 300;
  row.fetches = 2;
  row.fetched_at = 1'700'000'000;
  row.content_hash = 0x0123456789abcdef;
  row.etag = "\"x\"";
  row.last_modified = "Sat, 21 Nov 2026 02:00:00 GMT";
  row.history.sum = 1000;
  row.history.stamp = 5000;
  row.history.h = 900;
  row.links = {PageId(), PageId(ShardId{5}, 7), PageId(ShardId{65535}, kPageIdCount - 1)};
  return row;
}

// The decoder reads exact-size buffers, so that a sanitizer sees a step beyond the end.
template <typename Decode>
auto DecodedExactly(std::string_view bytes, Decode decode) {
  const std::unique_ptr<char[]> exact(new char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  return decode(std::string_view(exact.get(), bytes.size()));
}

TEST(Key, SortsPagesByShardAndId) {
  EXPECT_EQ(absl::BytesToHexString(KeyOf(kPage)), "00050123456789ab");
  EXPECT_EQ(PageOfKey(KeyOf(kPage)).value(), kPage);
}

TEST(Key, OfAnotherLengthOrWithStrayBitsIsRefused) {
  EXPECT_FALSE(PageOfKey("1234567").ok());
  EXPECT_FALSE(PageOfKey("123456789").ok());
  EXPECT_FALSE(PageOfKey(base::Big64(uint64_t{1} << 46)).ok());
}

TEST(PageRow, IsReadBack) {
  const PageRow row = SomePageRow();
  const PageRow read = DecodePageRow(Encode(row)).value();
  EXPECT_EQ(read.url, row.url);
  EXPECT_EQ(read.depth, row.depth);
  EXPECT_TRUE(read.stamp == row.stamp);
  EXPECT_EQ(read.prior, row.prior);
}

TEST(PageRow, WithoutAUrlOrCutOffIsRefused) {
  PageRow row = SomePageRow();
  row.url.clear();
  const std::string bytes = Encode(row);
  for (size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(DecodePageRow(bytes.substr(0, size)).status())) << size;
  }
}

TEST(HistoryRow, IsReadBackWhateverTheWindow) {
  for (auto kind : {importance::WindowKind::kNone, importance::WindowKind::kInterpolation}) {
    const importance::Window window({.kind = kind});
    HistoryRow row = SomeHistoryRow();
    if (kind == importance::WindowKind::kNone) row.history.h = 0;
    const HistoryRow read = DecodeHistoryRow(Encode(row, window), window).value();
    EXPECT_EQ(read.kind, row.kind);
    EXPECT_EQ(read.http_status, row.http_status);
    EXPECT_EQ(read.visits, row.visits);
    EXPECT_EQ(read.fetches, row.fetches);
    EXPECT_EQ(read.fetched_at, row.fetched_at);
    EXPECT_EQ(read.content_hash, row.content_hash);
    EXPECT_EQ(read.etag, row.etag);
    EXPECT_EQ(read.last_modified, row.last_modified);
    EXPECT_EQ(read.history, row.history);
    EXPECT_EQ(read.links, row.links);
  }
}

TEST(HistoryRow, CutOffAnywhereOrWithMoreBehindItIsRefused) {
  const importance::Window window{importance::WindowOptions()};
  const std::string bytes = Encode(SomeHistoryRow(), window);
  const auto decode = [&](std::string_view part) { return DecodeHistoryRow(part, window); };
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(DecodedExactly(bytes.substr(0, size), decode).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(decode(bytes + "x").status()));
}

TEST(HistoryRow, AnUnknownKindIsRefused) {
  const importance::Window window{importance::WindowOptions()};
  std::string bytes = Encode(SomeHistoryRow(), window);
  bytes[0] = 0x20 | kVisitKinds;
  EXPECT_TRUE(absl::IsDataLoss(DecodeHistoryRow(bytes, window).status()));
  bytes[0] = kVisitKinds;
  EXPECT_TRUE(absl::IsDataLoss(DecodeHistoryRow(bytes, window).status()));
}

TEST(HistoryRow, LinksThatDoNotAscendAreRefused) {
  const importance::Window window{importance::WindowOptions()};
  HistoryRow row = SomeHistoryRow();
  row.links = {PageId(ShardId{1}, 7), PageId(ShardId{1}, 7)};
  EXPECT_TRUE(absl::IsDataLoss(DecodeHistoryRow(Encode(row, window), window).status()));
  row.links = {PageId(ShardId{1}, 7), PageId(ShardId{1}, 6)};
  EXPECT_TRUE(absl::IsDataLoss(DecodeHistoryRow(Encode(row, window), window).status()));
}

// A count of links from a stranger must not become an allocation.
TEST(HistoryRow, ACountBeyondTheBytesIsRefused) {
  const importance::Window window{importance::WindowOptions()};
  HistoryRow row = SomeHistoryRow();
  row.links.clear();
  std::string bytes = Encode(row, window);
  bytes.resize(bytes.size() - EncodeAccount(row, window).size() - 3);  // its length, no links
  base::AppendVarint(bytes, uint64_t{1} << 60);
  store::AppendTail(bytes, EncodeAccount(row, window));
  EXPECT_TRUE(absl::IsDataLoss(DecodeHistoryRow(bytes, window).status()));
}

TEST(Rows, AnyBytesAreReadOrRefused) {
  const importance::Window window{importance::WindowOptions()};
  const std::string history = Encode(SomeHistoryRow(), window), page = Encode(SomePageRow());
  base::Rng rng(4);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = i % 2 == 0 ? history : page;
    for (uint64_t flips = 1 + rng.Below(4); flips > 0; --flips) {
      bytes[rng.Below(bytes.size())] = static_cast<char>(rng());
    }
    bytes.resize(rng.Below(bytes.size() + 1));
    (void)DecodedExactly(bytes, [&](std::string_view b) { return DecodeHistoryRow(b, window); });
    (void)DecodedExactly(bytes, [](std::string_view b) { return DecodePageRow(b); });
  }
}

TEST(VisitKinds, HaveDistinctNames) {
  std::vector<std::string_view> names;
  for (int kind = 0; kind < kVisitKinds; ++kind)
    names.push_back(Name(static_cast<VisitKind>(kind)));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(Name(VisitKind::kNotModified), "not_modified");
}

}  // namespace
}  // namespace opic::ledger

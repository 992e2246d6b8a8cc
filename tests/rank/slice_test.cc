// The slices' format and the sort that feeds it.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "gmock/gmock.h"
#include "rank/slice_matrix.h"
#include "rank/slice_sort.h"
#include "rank/slice_window.h"

namespace opic::rank {
namespace {

using ::testing::ElementsAre;

class SliceTest : public testing::Test {
 protected:
  SliceFile NewFile() { return SliceFile::Create(testing::TempDir(), traffic_).value(); }
  SliceTraffic traffic_;
};

using Links = std::vector<std::pair<uint32_t, uint32_t>>;

absl::StatusOr<Links> ReadSlice(const SliceFile& file, const SliceWriter::Slice& slice,
                                uint32_t width, size_t buffer_bytes) {
  SliceReader reader(file, slice, width, buffer_bytes);
  Links links;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next();
    if (!more.ok()) return more.status();
    if (!*more) return links;
    const absl::Status status =
        reader.ForEachTarget([&](uint32_t target) { links.emplace_back(reader.source(), target); });
    if (!status.ok()) return status;
  }
}

TEST_F(SliceTest, GivesBackTheLinksOfEachSlice) {
  SliceFile file = NewFile();
  SliceWriter writer(file, 10, 16);
  const Links first = {{0, 3}, {0, 4}, {7, 0}, {4'000'000'000, 9}};
  const Links third = {{0, 25}, {1, 20}, {1, 29}};
  for (const auto& [from, to] : first) ASSERT_TRUE(writer.Add(from, to).ok());
  for (const auto& [from, to] : third) ASSERT_TRUE(writer.Add(from, to).ok());
  const std::vector<SliceWriter::Slice> slices = writer.Finish().value();
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(ReadSlice(file, slices[0], 10, 16).value(), first);
  EXPECT_EQ(ReadSlice(file, slices[1], 10, 16).value(), Links());
  EXPECT_EQ(ReadSlice(file, slices[2], 10, 16).value(), (Links{{0, 5}, {1, 0}, {1, 9}}));
  EXPECT_EQ(slices[2].links, 3u);
}

// The format's example: source 300, 2 links, to 5 and 7 of the slice.
TEST_F(SliceTest, TakesAByteForASmallGap) {
  SliceFile file = NewFile();
  SliceWriter writer(file, 10, 1);
  ASSERT_TRUE(writer.Add(300, 5).ok() && writer.Add(300, 7).ok() && writer.Add(301, 0).ok());
  const SliceWriter::Slice slice = writer.Finish().value()[0];
  std::string bytes(slice.end, '\0');
  ASSERT_TRUE(file.Read(0, absl::MakeSpan(bytes.data(), bytes.size())).ok());
  EXPECT_EQ(bytes, std::string("\xac\x02\x01\x05\x01\x01\x00\x00", 8));
}

TEST_F(SliceTest, CutsALongListOfLinksIntoRecords) {
  SliceFile file = NewFile();
  SliceWriter writer(file, 5'000, 16);
  Links links;
  for (uint32_t to = 0; to < 5'000; ++to) links.emplace_back(8, to);
  for (const auto& [from, to] : links) ASSERT_TRUE(writer.Add(from, to).ok());
  EXPECT_EQ(ReadSlice(file, writer.Finish().value()[0], 5'000, 16).value(), links);
}

TEST_F(SliceTest, RefusesDamageWithoutReadingOrWritingPastTheSlice) {
  base::Rng rng(1);
  int refused = 0;
  for (int round = 0; round < 3'000; ++round) {
    SliceFile file = NewFile();
    std::string bytes;
    for (uint64_t i = rng.Below(40); i > 0; --i) {
      bytes += static_cast<char>(rng.Below(4) == 0 ? rng.Below(256) : rng.Below(8));
    }
    ASSERT_TRUE(file.Write(0, bytes).ok());
    const absl::StatusOr<Links> links = ReadSlice(file, {.end = bytes.size()}, 10, 8);
    refused += !links.ok();
    for (const auto& link : links.value_or(Links())) EXPECT_LT(link.second, 10u);
  }
  EXPECT_GT(refused, 1'000);
}

TEST_F(SliceTest, SaysThatTheFileEndsBeforeTheSlice) {
  const SliceFile file = NewFile();
  EXPECT_EQ(ReadSlice(file, {.end = 3}, 10, 8).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SliceTest, SortMergesRunsAndDropsRepeatedNumbers) {
  SliceSort sort(NewFile());
  std::vector<std::vector<uint64_t>> runs = {{5, 1, 5}, {}, {9, 1, 2}, {~uint64_t{0}, 0}};
  for (auto& run : runs) ASSERT_TRUE(sort.AddRun(absl::MakeSpan(run)).ok());
  std::vector<uint64_t> merged;
  ASSERT_TRUE(sort.Merge(0,
                         [&](uint64_t number) {
                           merged.push_back(number);
                           return absl::OkStatus();
                         })
                  .ok());
  EXPECT_THAT(merged, ElementsAre(0, 1, 2, 5, 9, ~uint64_t{0}));
}

TEST_F(SliceTest, SortGivesAllOfManyNumbersInOrder) {
  base::Rng rng(3);
  SliceSort sort(NewFile());
  std::vector<uint64_t> all;
  for (int run = 0; run < 9; ++run) {
    std::vector<uint64_t> numbers(500);
    for (uint64_t& number : numbers) all.push_back(number = rng.Below(3'000));
    ASSERT_TRUE(sort.AddRun(absl::MakeSpan(numbers)).ok());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<uint64_t> merged;
  ASSERT_TRUE(sort.Merge(0,
                         [&](uint64_t number) {
                           merged.push_back(number);
                           return absl::OkStatus();
                         })
                  .ok());
  EXPECT_EQ(merged, all);
}

TEST_F(SliceTest, AWindowKeepsWhatWasChangedInIt) {
  SliceFile file = NewFile();
  ASSERT_TRUE(file.WriteValues<uint32_t>(0, {1, 2, 3, 4, 5}).ok());
  SliceWindow<uint32_t> window(file, 5, 2 * sizeof(uint32_t), true);
  for (const uint64_t index : {1u, 4u}) {
    ASSERT_TRUE(window.Reach(index).ok());
    window[index] += 10;
  }
  ASSERT_TRUE(window.Flush().ok());
  std::vector<uint32_t> values(5);
  ASSERT_TRUE(file.ReadValues(0, absl::MakeSpan(values)).ok());
  EXPECT_THAT(values, ElementsAre(1, 12, 3, 4, 15));
}

}  // namespace
}  // namespace opic::rank

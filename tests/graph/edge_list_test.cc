#include "graph/edge_list.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "gmock/gmock.h"

namespace opic::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Links = std::vector<std::pair<uint64_t, uint64_t>>;

struct Parsed {
  Links links;
  absl::Status status;
};

// In pieces of `piece` bytes.
Parsed Parse(std::string_view text, size_t piece = 1 << 20) {
  Parsed parsed;
  parsed.status = ParseEdgeList(
      [&](absl::Span<char> out) -> absl::StatusOr<size_t> {
        const size_t size = std::min({piece, out.size(), text.size()});
        std::copy_n(text.begin(), size, out.begin());
        text.remove_prefix(size);
        return size;
      },
      [&](uint64_t from, uint64_t to) {
        parsed.links.emplace_back(from, to);
        return to == 13 ? absl::InvalidArgumentError("unlucky") : absl::OkStatus();
      });
  return parsed;
}

std::string Complaint(std::string_view text) { return std::string(Parse(text).status.message()); }

TEST(EdgeList, HasALinkALine) {
  const Parsed parsed = Parse("0\t1\n12 7\n 3 \t 4 \r\n");
  EXPECT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.links, ElementsAre(Pair(0, 1), Pair(12, 7), Pair(3, 4)));
}

TEST(EdgeList, SkipsCommentsAndEmptyLines) {
  EXPECT_THAT(Parse("# pages 3\n\n% 5 6\n  # 7 8\n1 2\n\r\n").links, ElementsAre(Pair(1, 2)));
}

TEST(EdgeList, MayLackTheLastLineFeed) {
  EXPECT_THAT(Parse("1 2\n3 4").links, ElementsAre(Pair(1, 2), Pair(3, 4)));
}

TEST(EdgeList, MayBeEmpty) {
  EXPECT_TRUE(Parse("").status.ok());
  EXPECT_THAT(Parse("").links, IsEmpty());
}

TEST(EdgeList, IsReadAlikeInPiecesOfAnySize) {
  const std::string text = "10 20\n# x\n300 4\n5 66";
  for (size_t piece = 1; piece < text.size(); ++piece) {
    EXPECT_EQ(Parse(text, piece).links, Parse(text).links);
  }
}

TEST(EdgeList, NamesTheLineThatIsDamaged) {
  EXPECT_EQ(Complaint("1 2\n3\n"), "line 2: only one page number");
  EXPECT_EQ(Complaint("#\n1 2\n3 x\n"), "line 3: not two page numbers");
  EXPECT_EQ(Complaint("-1 2"), "line 1: not two page numbers");
  EXPECT_EQ(Complaint("1 2 3"), "line 1: not two page numbers");
  EXPECT_EQ(Complaint("1,2"), "line 1: not two page numbers");
  EXPECT_EQ(Complaint(std::string("1 2\n1\0 2", 8)), "line 2: not two page numbers");
  EXPECT_EQ(Complaint("1 2\n3 4 "), "");
}

TEST(EdgeList, NamesTheLineOfALinkThatIsNotTaken) {
  EXPECT_EQ(Complaint("1 2\n\n3 13\n"), "line 3: unlucky");
}

TEST(EdgeList, TakesNumbersOf19DigitsAndRefusesLongerOnes) {
  EXPECT_THAT(Parse("9999999999999999999 1").links, ElementsAre(Pair(9999999999999999999u, 1)));
  EXPECT_EQ(Complaint("1 10000000000000000000"), "line 1: a page number is too long");
  EXPECT_EQ(Complaint(std::string(1 << 20, '0')), "line 1: a page number is too long");
}

TEST(EdgeList, EndsOnAnyBytes) {
  base::Rng rng(1);
  const std::string_view alphabet = "0123456789 \t\r\n#%x";
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (uint64_t i = rng.Below(60); i > 0; --i) text += alphabet[rng.Below(alphabet.size())];
    const Parsed whole = Parse(text), pieces = Parse(text, 3);
    EXPECT_EQ(whole.status, pieces.status) << text;
    EXPECT_EQ(whole.links, pieces.links) << text;
  }
}

TEST(EdgeList, PassesOnAnErrorOfReading) {
  const absl::Status status = ParseEdgeList(
      [](absl::Span<char>) -> absl::StatusOr<size_t> { return absl::DataLossError("!"); },
      [](uint64_t, uint64_t) { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace opic::graph

#include <gtest/gtest.h>

#include <limits>

#include "base/encoding.h"
#include "base/rng.h"
#include "importance/window.h"

namespace opic::importance {
namespace {

constexpr uint64_t kUnit = 1'000'000'000'000'000'000;
constexpr WindowKind kAllKinds[] = {WindowKind::kNone, WindowKind::kFixed,
                                    WindowKind::kImprovedFixed, WindowKind::kVariable,
                                    WindowKind::kInterpolation};

History Lived(const Window& window, base::Rng& rng, int visits) {
  cash::Sum g = rng.Below(20 * kUnit / 10);
  History history = window.Discovered(g, rng.Uniform() / 1000, 0);
  for (int i = 0; i < visits; ++i) {
    g += rng.Below(kUnit);
    window.Visit(history, cash::Amount(rng.Below(kUnit / 1000)), g);
  }
  return history;
}

TEST(HistoryEncoding, IsReadBackWhateverThePolicyAndLife) {
  base::Rng rng(3);
  for (WindowKind kind : kAllKinds) {
    const Window window({.kind = kind});
    for (int visits : {0, 1, 2, 3, 9, 200}) {
      const History history = Lived(window, rng, visits);
      std::string bytes;
      window.Encode(history, bytes);
      bytes += "rest";
      std::string_view view = bytes;
      EXPECT_EQ(window.Decode(view), history) << Name(kind) << ", " << visits << " visits";
      EXPECT_EQ(view, "rest");
    }
  }
}

// One of 10^8 pages after some hundred supplies: the row is written at each settled visit.
TEST(HistoryEncoding, TakesSomeTwentyBytesUnderInterpolation) {
  const Window window{WindowOptions{}};
  History history;
  for (uint64_t i = 1; i <= 50; ++i) {
    window.Visit(history, cash::Amount(20'000'000'000 + i), cash::Sum{kUnit} * 2 * i + 12345);
  }
  std::string bytes;
  window.Encode(history, bytes);
  EXPECT_LE(bytes.size(), 24u);
}

TEST(HistoryEncoding, RefusesEveryTruncation) {
  base::Rng rng(4);
  for (WindowKind kind : kAllKinds) {
    const Window window({.kind = kind});
    std::string bytes;
    window.Encode(Lived(window, rng, 12), bytes);
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::string cut = bytes.substr(0, size);
      std::string_view view = cut;
      EXPECT_EQ(window.Decode(view), std::nullopt) << Name(kind) << " cut to " << size;
      EXPECT_EQ(view.size(), size);
    }
  }
}

TEST(HistoryEncoding, RefusesMoreMeasuresThanAreEverKept) {
  std::string bytes;
  base::AppendVarint128(bytes, 0);
  base::AppendVarint128(bytes, 0);
  base::AppendVarint(bytes, kMeasuresMax + 1);
  bytes.append(2 * (kMeasuresMax + 1), '\1');
  std::string_view view = bytes;
  EXPECT_EQ(Window({.kind = WindowKind::kFixed}).Decode(view), std::nullopt);
}

TEST(HistoryEncoding, RefusesStampsThatOverflow) {
  std::string bytes;
  base::AppendVarint128(bytes, 0);
  base::AppendVarint128(bytes, std::numeric_limits<cash::Sum>::max());
  base::AppendVarint(bytes, 1);
  base::AppendVarint128(bytes, 0);
  base::AppendVarint128(bytes, 1);
  std::string_view view = bytes;
  EXPECT_EQ(Window({.kind = WindowKind::kFixed}).Decode(view), std::nullopt);
}

TEST(HistoryEncoding, RefusesANumberSpeltLongerThanNeeded) {
  std::string_view overlong = std::string_view("\x80\0\0\0", 4);
  EXPECT_EQ(Window{WindowOptions{}}.Decode(overlong), std::nullopt);
  std::string_view plain = std::string_view("\0\0\0", 3);
  EXPECT_EQ(Window{WindowOptions{}}.Decode(plain), History{});
}

TEST(HistoryEncoding, LivesOnAfterAnyBytesThatItAccepts) {
  base::Rng rng(5);
  for (int round = 0; round < 20000; ++round) {
    const Window window({.kind = kAllKinds[rng.Below(5)]});
    std::string bytes;
    for (uint64_t i = rng.Below(60); i > 0; --i)
      bytes.push_back(static_cast<char>(rng() >> rng.Below(64)));
    std::string_view view = bytes;
    std::optional<History> history = window.Decode(view);
    if (!history) continue;
    window.Visit(*history, cash::Amount(kUnit), kUnit);
    std::string again;
    window.Encode(*history, again);
    const double x = window.Estimate(*history, cash::Amount(1), kUnit, kUnit);
    EXPECT_GE(x, 0);
  }
}

}  // namespace
}  // namespace opic::importance

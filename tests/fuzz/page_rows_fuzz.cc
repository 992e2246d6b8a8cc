// opic-modules: ledger importance page_table cash base
// The input as the rows of a page: its name, and its history under each kind of window. Histories
// come over the wire too, when a shard moves.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "ledger/rows.h"

namespace opic::ledger {
namespace {

using importance::Window;
using importance::WindowKind;

void CheckName(std::string_view bytes) {
  const auto row = DecodePageRow(bytes);
  if (!row.ok()) return;
  OPIC_CHECK(!row->url.empty() && row->url.size() < bytes.size());
  const std::string once = Encode(*row);
  const auto again = DecodePageRow(once);
  OPIC_CHECK(again.ok() && Encode(*again) == once);
}

void CheckHistory(std::string_view bytes, const Window& window) {
  const auto row = DecodeHistoryRow(bytes, window);
  if (!row.ok()) return;
  OPIC_CHECK(row->links.size() <= bytes.size());
  OPIC_CHECK(row->history.measures.size() <= importance::kMeasuresMax);
  for (size_t i = 1; i < row->links.size(); ++i) OPIC_CHECK(row->links[i - 1] < row->links[i]);
  const std::string once = Encode(*row, window);
  const auto again = DecodeHistoryRow(once, window);
  OPIC_CHECK(again.ok() && Encode(*again, window) == once);
  const double estimate =
      window.Estimate(row->history, cash::Amount(1), row->history.stamp, cash::kSupply.units());
  OPIC_CHECK(!std::isnan(estimate));
}

void CheckKey(std::string_view bytes) {
  const auto page = PageOfKey(bytes);
  if (page.ok()) OPIC_CHECK(KeyOf(*page) == bytes);
}

}  // namespace
}  // namespace opic::ledger

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::ledger;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  CheckKey(input);
  CheckName(input);
  for (WindowKind kind : {WindowKind::kNone, WindowKind::kFixed, WindowKind::kImprovedFixed,
                          WindowKind::kVariable, WindowKind::kInterpolation}) {
    CheckHistory(input, Window({.kind = kind}));
  }
  return 0;
}

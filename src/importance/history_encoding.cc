// Implements a part of importance/window.h. The stored form of a History; its layout is documented
// at Window::Encode.
#include "base/encoding.h"
#include "importance/window.h"

namespace opic::importance {
namespace {

using base::AppendVarint;
using base::AppendVarint128;

// H is at most about T, which is below 2^100. What is read has room to grow before what is written
// is refused.
constexpr double kLargestReadH = 0x1p110;
constexpr double kLargestWrittenH = 0x1p120;

void AppendMeasures(const History& history, std::string& out) {
  AppendVarint128(out, history.before);
  AppendVarint(out, history.measures.size());
  cash::Sum g = history.before;
  for (const History::Measure& measure : history.measures) {
    AppendVarint128(out, measure.cash);
    AppendVarint128(out, measure.g - g);
    g = measure.g;
  }
}

void ReadMeasures(base::Decoder& in, History& history) {
  history.before = history.stamp = in.Varint128();
  const uint64_t count = in.Varint();
  if (count > kMeasuresMax) in.Fail();
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    const cash::Sum cash = in.Varint128();
    const cash::Sum elapsed = in.Varint128();
    if (cash < 0 || elapsed < 0) in.Fail();
    if (__builtin_add_overflow(history.stamp, elapsed, &history.stamp)) in.Fail();
    history.measures.push_back({cash, history.stamp});
  }
}

}  // namespace

void Window::Encode(const History& history, std::string& out) const {
  if (options_.kind == WindowKind::kInterpolation) {
    OPIC_CHECK(history.h >= 0 && history.h <= kLargestWrittenH) << "a history of " << history.h;
    AppendVarint128(out, static_cast<cash::Sum>(history.h));
  }
  AppendVarint128(out, history.sum);
  if (keeps_measures()) {
    AppendMeasures(history, out);
  } else {
    AppendVarint128(out, history.stamp);
  }
}

std::optional<History> Window::Decode(std::string_view& bytes) const {
  base::Decoder in(bytes);
  History history;
  if (options_.kind == WindowKind::kInterpolation) {
    history.h = static_cast<double>(in.Varint128());
    if (history.h > kLargestReadH) return std::nullopt;
  }
  history.sum = in.Varint128();
  if (keeps_measures()) {
    ReadMeasures(in, history);
  } else {
    history.stamp = in.Varint128();
  }
  if (!in.ok() || history.before < 0 || history.stamp < 0) return std::nullopt;
  // Only ledger push, which keeps the exact account of kNone, has histories below zero.
  if (history.sum < 0 && options_.kind != WindowKind::kNone) return std::nullopt;
  // Overlong varints, and an H no double can be, are what Encode would write differently.
  std::string again;
  Encode(history, again);
  const size_t size = bytes.size() - in.rest().size();
  if (again != bytes.substr(0, size)) return std::nullopt;
  bytes = in.rest();
  return history;
}

}  // namespace opic::importance

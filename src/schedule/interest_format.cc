// How a table of interest is written (docs/formats/interest.md).
#include <bit>
#include <cmath>

#include "base/encoding.h"
#include "schedule/interest.h"

namespace opic::schedule {
namespace {

// No reading is worth more than 1, and older ones count for less: 65 by then. What rounding adds
// stays below.
constexpr float kSeenLimit = 128;
constexpr float kRounding = 1e-3F;

float FloatFrom(base::Decoder& in) { return std::bit_cast<float>(in.Fixed32()); }

// A NaN is in no range.
bool IsIn(double value, double least, double most) { return value >= least && value <= most; }

}  // namespace

std::string Interest::Encode() const {
  std::string out;
  base::AppendFixed64(out, std::bit_cast<uint64_t>(mean_));
  base::AppendVarint(out, learnt_);
  base::AppendVarint(out, used_);
  size_t next = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    if (cell.tag == 0) continue;
    base::AppendVarint(out, i - next);
    next = i + 1;
    base::AppendFixed32(out, cell.tag);
    base::AppendFixed32(out, std::bit_cast<uint32_t>(cell.seen));
    base::AppendFixed32(out, std::bit_cast<uint32_t>(cell.worth));
  }
  return out;
}

absl::StatusOr<Interest> Interest::Decode(std::string_view bytes) {
  const absl::Status damaged = absl::DataLossError("what interest has learnt cannot be read");
  base::Decoder in(bytes);
  const double mean = std::bit_cast<double>(in.Fixed64());
  const uint64_t learnt = in.Varint();
  const uint64_t used = in.Varint();
  if (!in.ok() || !IsIn(mean, 0, 1) || learnt > kMeanOver || used > kCells) return damaged;
  Interest interest;
  interest.mean_ = mean;
  interest.learnt_ = learnt;
  size_t next = 0;
  for (uint64_t i = 0; i < used; ++i) {
    const uint64_t skipped = in.Varint();
    if (!in.ok() || skipped >= kCells - next) return damaged;
    Cell& cell = interest.cells_[next + skipped];
    next += skipped + 1;
    cell.tag = in.Fixed32();
    cell.seen = FloatFrom(in);
    cell.worth = FloatFrom(in);
    // Tags are odd (TagOf): none is that of a cell without a form.
    if (!in.ok() || cell.tag % 2 == 0 || !IsIn(cell.seen, 0, kSeenLimit) ||
        !IsIn(cell.worth, 0, cell.seen + kRounding))
      return damaged;
  }
  if (!in.done()) return damaged;
  interest.used_ = used;
  return interest;
}

}  // namespace opic::schedule

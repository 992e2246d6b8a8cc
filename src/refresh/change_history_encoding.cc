// The stored form of a ChangeHistory; its layout is told at ChangeHistory::Encode.
#include <bit>
#include <cmath>

#include "base/encoding.h"
#include "refresh/change_history.h"

namespace opic::refresh {
namespace {

constexpr uint8_t kDated = 8, kQuiet = 16;
static_assert(ChangeHistory::kClustersMax < kDated);
// Counts and seconds are at most the product of the longest interval and of any number of visits.
constexpr double kLargest = 0x1p100;
constexpr double kSmallest = 0x1p-100;
constexpr double kSpreadUnit = 0x1p-16;

// The upper three bytes of a binary32, rounded to nearest: 16 significant bits.
uint32_t Float24(double value) {
  const auto single = static_cast<float>(std::clamp(value, kSmallest, kLargest));
  return (std::bit_cast<uint32_t>(single) + 0x80) >> 8;
}

void AppendFloat(std::string& out, double value) {
  const uint32_t word = Float24(value);
  for (int shift = 0; shift < 24; shift += 8) out.push_back(static_cast<char>(word >> shift));
}

// A positive number within bounds; otherwise `in` fails.
double ReadFloat(base::Decoder& in) {
  uint32_t word = 0;
  for (int shift = 8; shift < 32; shift += 8) word |= uint32_t{in.Byte()} << shift;
  const double value = std::bit_cast<float>(word);
  if (!(value >= kSmallest && value <= kLargest)) in.Fail();
  return value;
}

uint16_t SpreadWord(double spread) {
  return static_cast<uint16_t>(std::lround(spread / kSpreadUnit));
}

}  // namespace

void ChangeHistory::Encode(std::string& out) const {
  out.push_back(
      static_cast<char>(clusters_size_ | (dated_ > 0 ? kDated : 0) | (quiet_ > 0 ? kQuiet : 0)));
  if (dated_ > 0) AppendFloat(out, dated_), AppendFloat(out, age_);
  if (quiet_ > 0) AppendFloat(out, quiet_), AppendFloat(out, quiet_time_);
  for (const Cluster& cluster : clusters()) {
    AppendFloat(out, cluster.count);
    AppendFloat(out, cluster.mean);
    const uint16_t spread = SpreadWord(cluster.spread);
    out.push_back(static_cast<char>(spread)), out.push_back(static_cast<char>(spread >> 8));
  }
}

std::optional<ChangeHistory> ChangeHistory::Decode(std::string_view& bytes) {
  base::Decoder in(bytes);
  ChangeHistory history;
  const uint8_t shape = in.Byte();
  history.clusters_size_ = shape & (kDated - 1);
  if (shape >= 2 * kQuiet || history.clusters_size_ > kClustersMax) return std::nullopt;
  if (shape & kDated) history.dated_ = ReadFloat(in), history.age_ = ReadFloat(in);
  if (shape & kQuiet) history.quiet_ = ReadFloat(in), history.quiet_time_ = ReadFloat(in);
  double before = 0;
  for (size_t i = 0; i < history.clusters_size_ && in.ok(); ++i) {
    Cluster& cluster = history.clusters_[i];
    cluster.count = ReadFloat(in);
    cluster.mean = ReadFloat(in);
    const uint8_t low = in.Byte();
    const auto word = static_cast<uint16_t>(low | in.Byte() << 8);
    cluster.spread = word * kSpreadUnit;
    if (cluster.mean < before || word > SpreadWord(kSpreadMax)) in.Fail();
    before = cluster.mean;
  }
  if (!in.ok()) return std::nullopt;
  bytes = in.rest();
  return history;
}

}  // namespace opic::refresh

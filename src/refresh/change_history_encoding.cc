// Implements a part of refresh/change_history.h. The stored form of a ChangeHistory; its layout is
// documented at ChangeHistory::Encode.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/encoding.h"
#include "refresh/change_history.h"

namespace opic::refresh {
namespace {

constexpr uint8_t kDated = 8, kQuiet = 16;
static_assert(ChangeHistory::kClustersMax < kDated);
constexpr double kSpreadUnit = 0x1p-16;

// What a number is between, for Encode as for Decode: what is damaged is not taken for a history
// that no visits give.
struct Bounds {
  double low, high;
};
constexpr Bounds kCount{ChangeHistory::kCountMin, 0x1p60};
constexpr Bounds kAge{ChangeHistory::kAgeSecondsMin, ChangeHistory::kSecondsMax};
constexpr Bounds kInterval{ChangeHistory::kSecondsMin, ChangeHistory::kSecondsMax};

Bounds Times(double count, const Bounds& each) { return {count * each.low, count * each.high}; }

// The upper three bytes of a binary32, rounded to nearest: 16 significant bits.
uint32_t Float24(double value) {
  return (std::bit_cast<uint32_t>(static_cast<float>(value)) + 0x80) >> 8;
}
double FromFloat24(uint32_t word) { return std::bit_cast<float>(word << 8); }

// Returns the number as it will be read.
double AppendFloat(std::string& out, double value, const Bounds& bounds) {
  const uint32_t word = Float24(std::clamp(value, bounds.low, bounds.high));
  for (int shift = 0; shift < 24; shift += 8) out.push_back(static_cast<char>(word >> shift));
  return FromFloat24(word);
}

// A number within bounds, which are rounded as it is; otherwise `in` fails.
double ReadFloat(base::Decoder& in, const Bounds& bounds) {
  uint32_t word = 0;
  for (int shift = 0; shift < 24; shift += 8) word |= uint32_t{in.Byte()} << shift;
  // Positive binary32 are in the order of their bytes.
  if (!(word >= Float24(bounds.low) && word <= Float24(bounds.high))) in.Fail();
  return FromFloat24(word);
}

// A number of observations, and the sum of their seconds.
void AppendSum(std::string& out, double count, double seconds, const Bounds& each) {
  AppendFloat(out, seconds, Times(AppendFloat(out, count, kCount), each));
}

void ReadSum(base::Decoder& in, const Bounds& each, double& count, double& seconds) {
  count = ReadFloat(in, kCount);
  if (in.ok()) seconds = ReadFloat(in, Times(count, each));
}

uint16_t SpreadWord(double spread) {
  return static_cast<uint16_t>(std::lround(spread / kSpreadUnit));
}

}  // namespace

void ChangeHistory::Encode(std::string& out) const {
  out.push_back(
      static_cast<char>(clusters_size_ | (dated_ > 0 ? kDated : 0) | (quiet_ > 0 ? kQuiet : 0)));
  if (dated_ > 0) AppendSum(out, dated_, age_, kAge);
  if (quiet_ > 0) AppendSum(out, quiet_, quiet_time_, kInterval);
  for (const Cluster& cluster : clusters()) {
    AppendFloat(out, cluster.count, kCount);
    AppendFloat(out, cluster.mean, kInterval);
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
  if (shape & kDated) ReadSum(in, kAge, history.dated_, history.age_);
  if (shape & kQuiet) ReadSum(in, kInterval, history.quiet_, history.quiet_time_);
  double before = 0;
  for (size_t i = 0; i < history.clusters_size_ && in.ok(); ++i) {
    Cluster& cluster = history.clusters_[i];
    cluster.count = ReadFloat(in, kCount);
    cluster.mean = ReadFloat(in, kInterval);
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

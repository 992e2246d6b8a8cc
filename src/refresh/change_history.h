// What the visits of one page have shown of its changes: statistics of bounded size from which its
// change rate is estimated (change_rate.h; thesis chapter 4; Cho and Garcia-Molina, "Estimating
// frequency of change").
//
// Changes are a Poisson process of rate x. The likelihood of what was seen is
//
//   x^X * e^(-x * (L + V)) * product over j of (1 - e^(-c_j * x))                          (4.1)
//
// * X changes with a date; L is the sum of their ages, from the last change to the fetch (4.2);
// * V is the sum of the intervals without a change;
// * c_j are the intervals in which a change was seen that has no usable date (existence only).
//
// X, L and V are sums. The c_j are kept as at most kClustersMax clusters, each with its number,
// mean and spread. A cluster counts as two intervals one spread below and above its mean, half of
// its number each: its number, mean and variance are right while its spread is below kSpreadMax. An
// estimate differs by less than 1 % from that of the intervals themselves where these span a factor
// of up to 64, by 2 % on average and 20 % at most where they span one of some thousands.
//
// Rates may change: old observations fade (ChangeMemory).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace opic::refresh {

// How long observations count: each one that saw a change fades all before it by 1 / changes, each
// one that saw none by 1 / quiet_visits. So the counts never exceed these numbers. Less than 1, or
// no number: the last observation alone is kept. And whatever an observation saw, those before it
// fade by e^(-interval / seconds): a page that is seldom read would otherwise be known by what it
// was years ago. The defaults cost a little where rates never change, and gain more where they do
// (`opic sim refresh`); MemoryChoice (memory_choice.h) finds what a crawl's pages ask for.
//
// Or rates are taken to wander, ln(rate) by a variance of `drift` in a second (0: not at all). N
// changes tell ln(rate) to a variance of about 1 / (1 + N), the 1 being the prior's; what it gains
// in an interval makes 1 / (1 + drift * interval * (1 + N)) of them, as in a Kalman filter. So of a
// fast page less time is remembered, and more changes, than of a slow one.
struct ChangeMemory {
  double changes = 16;
  double quiet_visits = 64;
  double seconds = 365 * 86'400.0;
  double drift = 0;
  static constexpr ChangeMemory Unlimited() { return Drifting(0); }
  // Nothing is forgotten but for this drift.
  static constexpr ChangeMemory Drifting(double drift) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {kInfinity, kInfinity, kInfinity, drift};
  }
  friend bool operator==(const ChangeMemory&, const ChangeMemory&) = default;
};

// One fetch, answered 2xx or 304.
struct ChangeObservation {
  absl::Time previous =
      absl::InfinitePast();  // the fetch before; InfinitePast(): this is the first
  absl::Time fetched;
  bool changed = false;  // the content is another one than at `previous`; of a first fetch ignored
  std::optional<absl::Time> last_change = std::nullopt;  // as the server, a feed or a sitemap says
};

// What became of the date of an observation. The caller may count them by host: a host whose dates
// are often refused says nothing true with the others either.
enum class DateUse : uint8_t {
  kMissing,         // there was none
  kUsed,            // it dated the change
  kConsistent,      // unchanged, and the date says so too
  kFuture,          // refused: after the fetch
  kFetchTime,       // refused: the moment of the fetch, the server's clock and no date of change
  kBeforePrevious,  // refused: changed since a fetch that the date lies before
  kAfterPrevious,   // refused: unchanged since a fetch that the date lies after
  kTooOld,          // refused: before the web
};

// Total: no observation makes a method fail. Times to about a second; an interval of less than a
// second (a clock stepped back, two fetches at once) is no observation.
//
// Thread safety: confined to the owner thread.
class ChangeHistory {
 public:
  static constexpr size_t kClustersMax = 3;
  static constexpr size_t kEncodedBytesMax = 13 + 8 * kClustersMax;

  // Undated changes seen after intervals of about the same length, in seconds.
  struct Cluster {
    double count = 0;
    double mean = 0;
    double spread = 0;  // standard deviation over mean, at most kSpreadMax
    friend bool operator==(const Cluster&, const Cluster&) = default;
  };
  static constexpr double kSpreadMax = 0.95;

  // Intervals and ages of changes: shorter ones tell nothing, longer ones (68 years) count as this.
  static constexpr double kSecondsMin = 1, kSecondsMax = 0x1p31;
  static constexpr int kAgeSecondsMin = 2;
  // What has faded to less of an observation is forgotten.
  static constexpr double kCountMin = 1e-6;

  // A date that is refused leaves an observation of existence alone. The first fetch of a page says
  // something with a date only: the age of its last change then (thesis 4.2).
  DateUse Observe(const ChangeObservation& seen, const ChangeMemory& memory = {});

  bool empty() const { return dated_ == 0 && quiet_ == 0 && clusters_size_ == 0; }
  double dated_changes() const { return dated_; }       // X
  double age_seconds() const { return age_; }           // L
  double quiet_intervals() const { return quiet_; }     // intervals without a change
  double quiet_seconds() const { return quiet_time_; }  // V
  double undated_changes() const;                       // the number of c_j
  double undated_seconds() const;                       // their sum
  absl::Span<const Cluster> clusters() const { return {clusters_.data(), clusters_size_}; }

  // The stored form, of 1 to kEncodedBytesMax bytes; about 13 to 21 for most pages. Numbers are
  // rounded to 16 significant bits. Layout: a byte with the number of clusters, 8 if X > 0 and 16
  // if there were quiet intervals; X and L; quiet intervals and V; of each cluster, by ascending
  // mean, count, mean and (two bytes) spread in 65536ths. Each number is the upper three bytes of
  // its binary32, little-endian. Numbers are within the bounds above, the sums L and V as many
  // times as their numbers say.
  void Encode(std::string& out) const;
  // Consumes what it reads of `bytes`. Refuses (nullopt, `bytes` as it was) what Encode would not
  // write.
  static std::optional<ChangeHistory> Decode(std::string_view& bytes);

  friend bool operator==(const ChangeHistory&, const ChangeHistory&) = default;

 private:
  void Fade(double factor);
  void AddUndated(double seconds);
  void MergeNearest();

  double dated_ = 0, age_ = 0, quiet_ = 0, quiet_time_ = 0;
  size_t clusters_size_ = 0;
  std::array<Cluster, kClustersMax + 1> clusters_ = {};  // by ascending mean; one place to add
};

}  // namespace opic::refresh

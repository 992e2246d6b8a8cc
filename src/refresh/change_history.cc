#include "refresh/change_history.h"

#include <algorithm>
#include <cmath>

namespace opic::refresh {
namespace {

// A date this close to the fetch is the server's clock: many servers date what they generate so.
constexpr absl::Duration kFetchTimeWithin = absl::Seconds(int64_t{ChangeHistory::kAgeSecondsMin});
// Clusters whose means differ by less are one.
constexpr double kClusterRatio = 1.19;  // 2^(1/4)

absl::Time FirstDate() { return absl::FromUnixSeconds(631'152'000); }  // 1990: no page is older

DateUse Judge(const ChangeObservation& seen, bool first) {
  if (!seen.last_change) return DateUse::kMissing;
  const absl::Time date = *seen.last_change;
  if (date > seen.fetched) return DateUse::kFuture;
  if (date < FirstDate()) return DateUse::kTooOld;
  if (!first && !seen.changed) {
    return date > seen.previous ? DateUse::kAfterPrevious : DateUse::kConsistent;
  }
  if (!first && date <= seen.previous) return DateUse::kBeforePrevious;
  return date > seen.fetched - kFetchTimeWithin ? DateUse::kFetchTime : DateUse::kUsed;
}

// What is left of the observations before when one more comes, from 0 to 1. A memory of less than
// one, or that is no number, keeps none of them.
double Left(double memory) { return memory >= 1 ? 1 - 1 / memory : 0; }

// And of their age, in the same way.
double LeftAfter(double interval, double memory) {
  return memory > 0 ? std::exp(-interval / memory) : 0;
}

// And where rates wander: of so many changes.
double LeftOfDrift(double interval, double drift, double changes) {
  return drift > 0 ? 1 / (1 + drift * interval * (1 + changes)) : 1;
}

double Seconds(absl::Duration duration) {
  return std::min(absl::ToDoubleSeconds(duration), ChangeHistory::kSecondsMax);
}

using Cluster = ChangeHistory::Cluster;

// The moments of both together.
Cluster Merged(const Cluster& a, const Cluster& b) {
  const double count = a.count + b.count;
  const double mean = a.mean + (b.mean - a.mean) * (b.count / count);
  const auto square = [mean](const Cluster& one) {
    const double off = one.mean - mean, within = one.spread * one.mean;
    return off * off + within * within;
  };
  const double variance = square(a) * (a.count / count) + square(b) * (b.count / count);
  return {count, mean, std::min(std::sqrt(variance) / mean, ChangeHistory::kSpreadMax)};
}

}  // namespace

DateUse ChangeHistory::Observe(const ChangeObservation& seen, const ChangeMemory& memory) {
  const bool first = seen.previous == absl::InfinitePast();
  const DateUse use = Judge(seen, first);
  const double interval = first ? 0 : Seconds(seen.fetched - seen.previous);
  if (first ? use != DateUse::kUsed : !(interval >= kSecondsMin)) return use;
  Fade(LeftAfter(interval, memory.seconds) *
       LeftOfDrift(interval, memory.drift, dated_ + undated_changes()));
  if (first || seen.changed) {
    Fade(Left(memory.changes));
    if (use == DateUse::kUsed) {
      dated_ += 1;
      age_ += Seconds(seen.fetched - *seen.last_change);
    } else {
      AddUndated(interval);
    }
  } else {
    Fade(Left(memory.quiet_visits));
    quiet_ += 1;
    quiet_time_ += interval;
  }
  return use;
}

double ChangeHistory::undated_changes() const {
  double sum = 0;
  for (const Cluster& cluster : clusters()) sum += cluster.count;
  return sum;
}

double ChangeHistory::undated_seconds() const {
  double sum = 0;
  for (const Cluster& cluster : clusters()) sum += cluster.count * cluster.mean;
  return sum;
}

void ChangeHistory::Fade(double factor) {
  dated_ *= factor, age_ *= factor, quiet_ *= factor, quiet_time_ *= factor;
  for (size_t i = 0; i < clusters_size_; ++i) clusters_[i].count *= factor;
  if (dated_ < kCountMin) dated_ = age_ = 0;
  if (quiet_ < kCountMin) quiet_ = quiet_time_ = 0;
  const auto end = clusters_.begin() + static_cast<ptrdiff_t>(clusters_size_);
  const auto kept = std::remove_if(clusters_.begin(), end,
                                   [](const Cluster& one) { return one.count < kCountMin; });
  std::fill(kept, end, Cluster{});
  clusters_size_ = static_cast<size_t>(kept - clusters_.begin());
}

void ChangeHistory::AddUndated(double seconds) {
  clusters_[clusters_size_++] = {1, seconds, 0};
  std::sort(clusters_.begin(), clusters_.begin() + static_cast<ptrdiff_t>(clusters_size_),
            [](const Cluster& a, const Cluster& b) { return a.mean < b.mean; });
  MergeNearest();
}

// One more cluster than before: two become one if there are too many of them or two are alike.
void ChangeHistory::MergeNearest() {
  size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i + 1 < clusters_size_; ++i) {
    const double ratio = clusters_[i + 1].mean / clusters_[i].mean;
    if (ratio < least) least = ratio, nearest = i;
  }
  if (clusters_size_ < 2 || (clusters_size_ <= kClustersMax && least >= kClusterRatio)) return;
  clusters_[nearest] = Merged(clusters_[nearest], clusters_[nearest + 1]);
  for (size_t i = nearest + 1; i + 1 < clusters_size_; ++i) clusters_[i] = clusters_[i + 1];
  clusters_[--clusters_size_] = {};
}

}  // namespace opic::refresh

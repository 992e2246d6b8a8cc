#include "refresh/memory_choice.h"

#include <algorithm>

#include "base/rng.h"
#include "refresh/change_rate.h"

namespace opic::refresh {
namespace {

constexpr double kYear = 365 * 86'400.0;
// Observations that the scores look back on.
constexpr double kLookedBackOn = 65'536;
// There is no choice before so many.
constexpr double kEnough = 1'000;
// By so much the logarithm of a candidate's predictions must be above that of the one that holds:
// scores of two that are as good as each other wander by a few.
constexpr double kMargin = 6;
// What one observation may say for or against a candidate: a page that breaks all rules is but one.
constexpr double kSayMax = 4;
// A page of the sample that was not seen for so long may make room.
constexpr absl::Duration kSilenceMax = absl::Hours(24 * 400);

// The stored form counts every one of so many observations (ChangeHistory::Encode).
constexpr double kCountsMax = 16'384;

constexpr ChangeMemory Wandering(double drift) {
  ChangeMemory memory = ChangeMemory::Drifting(drift);
  memory.changes = memory.quiet_visits = kCountsMax;
  return memory;
}

}  // namespace

absl::Span<const ChangeMemory> MemoryChoice::Candidates() {
  static constexpr std::array<ChangeMemory, kCandidates> kAll = {
      ChangeMemory{},       Wandering(0),         Wandering(0.125 / kYear), Wandering(0.5 / kYear),
      Wandering(2 / kYear), Wandering(8 / kYear), Wandering(32 / kYear),
  };
  return kAll;
}

bool MemoryChoice::Follows(PageId page) const { return base::Mix64(page.word() ^ salt_) <= bound_; }

void MemoryChoice::Observe(PageId page, const ChangeObservation& seen,
                           const RateDistribution& prior) {
  if (!Follows(page)) return;
  ChangeHistory shown;
  shown.Observe(seen);
  if (shown.empty()) return;
  const auto [found, is_new] = pages_.try_emplace(page);
  Page& known = found->second;
  if (!is_new) Score(known, shown, prior);
  known.seen = seen.fetched;
  for (size_t i = 0; i < kCandidates; ++i) known.histories[i].Observe(seen, Candidates()[i]);
  if (pages_.size() > kPagesMax) MakeRoom(seen.fetched);
}

void MemoryChoice::Score(const Page& page, const ChangeHistory& seen,
                         const RateDistribution& prior) {
  constexpr double kLeft = 1 - 1 / kLookedBackOn;
  observations_ = observations_ * kLeft + 1;
  const double first = LogPrediction(page.histories[0], prior, seen);
  for (size_t i = 1; i < kCandidates; ++i) {
    const double above = LogPrediction(page.histories[i], prior, seen) - first;
    scores_[i] = scores_[i] * kLeft + std::clamp(above, -kSayMax, kSayMax);
  }
  Choose();
}

void MemoryChoice::Choose() {
  if (observations_ < kEnough) return;
  const auto best = std::max_element(scores_.begin(), scores_.end());
  if (*best > scores_[chosen_] + kMargin) chosen_ = static_cast<size_t>(best - scores_.begin());
}

void MemoryChoice::MakeRoom(absl::Time now) {
  absl::erase_if(pages_, [&](const auto& page) { return now - page.second.seen > kSilenceMax; });
  while (pages_.size() > kPagesMax) {
    bound_ /= 2;
    absl::erase_if(pages_, [&](const auto& page) { return !Follows(page.first); });
  }
}

std::string MemoryChoice::Encode() const { return {static_cast<char>(chosen_)}; }

std::optional<MemoryChoice> MemoryChoice::Decode(std::string_view bytes, uint64_t salt) {
  if (bytes.size() != 1) return std::nullopt;
  MemoryChoice choice(salt);
  choice.chosen_ = static_cast<uint8_t>(bytes[0]);
  if (choice.chosen_ >= kCandidates) return std::nullopt;
  return choice;
}

}  // namespace opic::refresh

// How long what pages have shown of their changes is to count: learnt from the pages themselves.
//
// Some memories (ChangeMemory) run side by side on a sample of pages. Each one predicts every
// observation from those before it (LogPrediction, change_rate.h), and the one that has predicted
// best holds for all pages: prequential choice (Dawid, "Present position and potential
// developments: some personal views: statistical theory: the prequential approach", 1984). A memory
// that is too long clings to what pages were; one that is too short knows little of each.
//
// The sample is the pages whose hash is below a bound that is halved when they are too many: which
// pages are in it does not depend on what they show, and with a salt that nobody knows no site can
// choose URLs to be in it. It takes about two megabytes when full. A page
// of the sample costs some 20 microseconds a visit, others nothing.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "refresh/change_history.h"
#include "refresh/rate_distribution.h"

namespace opic::refresh {

class MemoryChoice {
 public:
  static constexpr size_t kPagesMax = 1'700;  // of the sample: a table of 2,047 slots holds them

  explicit MemoryChoice(uint64_t salt = 0) : salt_(salt) {}

  // The memories to choose from; the first one holds until another has proved better.
  static absl::Span<const ChangeMemory> Candidates();

  // Whether the page may be of the sample. Of others Observe does nothing.
  bool Follows(PageId page) const;
  // To be called with every observation before memory() is used for it. `prior` is the page's, as
  // it is before the observation. Total, as ChangeHistory::Observe.
  void Observe(PageId page, const ChangeObservation& seen, const RateDistribution& prior);

  const ChangeMemory& memory() const { return Candidates()[chosen_]; }
  size_t chosen() const { return chosen_; }       // its place among the candidates
  size_t pages() const { return pages_.size(); }  // of the sample; at most kPagesMax

  // The choice, not what it is made from: that begins anew.
  std::string Encode() const;
  // Nothing: what Encode does not write.
  static std::optional<MemoryChoice> Decode(std::string_view bytes, uint64_t salt = 0);

 private:
  static constexpr size_t kCandidates = 7;
  struct Page {
    absl::Time seen;
    std::array<ChangeHistory, kCandidates> histories;  // as each memory has it
  };

  void Score(const Page& page, const ChangeHistory& seen, const RateDistribution& prior);
  void Choose();
  void MakeRoom(absl::Time now);

  uint64_t salt_;  // of the hashes
  size_t chosen_ = 0;
  double observations_ = 0;                      // that scores are of; fades
  std::array<double, kCandidates> scores_ = {};  // logarithms, above that of the first; fade
  uint64_t bound_ = UINT64_MAX;                  // of the hashes in the sample
  absl::flat_hash_map<PageId, Page> pages_;
};

}  // namespace opic::refresh

// The limits of a crawl that an operator may change while it runs. A change is remembered by the
// data folder: it holds over restarts, and wins over what the program is started with, unless
// somebody types another number of pages (CrawlOptions::pages_typed).
//
// Thread safety: pure, but for the store's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store.h"

namespace opic::node {

inline constexpr uint32_t kFetchesMax = 10'000;  // at once

// In force.
struct Limits {
  uint64_t pages = 0;      // requests for pages, as CrawlOptions::pages_max; 0: no limit
  uint32_t in_flight = 1;  // fetches at once
};

struct LimitChanges {
  std::optional<uint64_t> pages;      // nothing: as it was
  std::optional<uint32_t> in_flight;  // likewise

  bool empty() const { return !pages && !in_flight; }
  void Take(const LimitChanges& changes);  // those that are given
  Limits ApplyTo(Limits limits) const;
  std::string InWords() const;  // "200 pages, 32 fetches at once"
};

// InvalidArgument: a number is out of bounds, or more than `fetches_most` at once are asked for,
// which are as many as the process may have files for.
absl::Status CheckLimits(const LimitChanges& changes, uint32_t fetches_most);

absl::StatusOr<LimitChanges> RecallLimits(store::Store& store);
// Durable when it returns.
absl::Status RememberLimits(store::Store& store, const LimitChanges& changes);
// Of what is remembered only the number of pages.
absl::Status ForgetPagesLimit(store::Store& store);

}  // namespace opic::node

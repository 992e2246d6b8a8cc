// What a page of the sample web is at one moment.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "sample/web.h"

namespace opic::sample {

enum class Presence : uint8_t { kNotYet, kThere, kGone };

// Thread safety: compatible.
struct PageState {
  Presence presence = Presence::kThere;
  uint64_t changes = 0;                // since its beginning; of a page that is gone, until its end
  double rate = 0;                     // mean changes a day from now on
  absl::Time modified;                 // its last change, its beginning or its end
  std::optional<absl::Time> reported;  // what its host says of that, in whole seconds, if it does
  std::vector<uint32_t> links;         // what a crawler finds now: distinct, ascending
};

// States of all pages of one moment.
using StateAt = absl::FunctionRef<PageState(uint32_t page)>;

// At the beginning. REQUIRES: a page of the beginning, one that web.links has.
PageState FirstState(const Web& web, uint32_t page);
// When a page that has not changed yet was made: some second of 2024.
absl::Time FirstModified(const Web& web, uint32_t page);

}  // namespace opic::sample

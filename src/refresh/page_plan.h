// What a page's row keeps of its changes, and of when it is to be read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "refresh/category.h"
#include "refresh/change_history.h"
#include "refresh/refresh_weight.h"

namespace opic::refresh {

struct PagePlan {
  // `due` of a page that is not read again.
  static constexpr int64_t kNever = 0;
  // Readings in a row that found no page, after which it is not tried any more. The pauses between
  // them are doubled: from a day to 64, four months in all.
  static constexpr uint8_t kLossesMax = 8;
  static constexpr size_t kEncodedBytesMax = 32 + ChangeHistory::kEncodedBytesMax;

  // Unix seconds, above 0. In a row: as if the factor of its category were 1 (refresh_plan.h).
  int64_t due = kNever;
  RefreshWeight weight;  // with which Frequencies counts it, while `losses` is 0
  Category category = Category::kHtml;
  bool in_group = false;  // its RateGroup counts it
  uint8_t losses = 0;     // readings in a row that found no page
  ChangeHistory changes;

  // Frequencies has a share of the bandwidth for it.
  bool counted() const { return due != kNever && losses == 0; }

  // At most kEncodedBytesMax bytes (docs/formats/page_plan.md).
  std::string Encode() const;
  // Nothing: what Encode does not write.
  static std::optional<PagePlan> Decode(std::string_view bytes);

  friend bool operator==(const PagePlan&, const PagePlan&) = default;
};

// When a page that was not found, `losses` times in a row, is tried again; kNever after kLossesMax.
// REQUIRES: losses > 0.
int64_t DueAfterLoss(absl::Time fetched, uint8_t losses);

}  // namespace opic::refresh

// What the interest in pages has learnt (schedule/interest.h), as the data folder remembers it: a
// row of Table::kMeta (docs/formats/interest.md), at most 1 MB.
//
// Thread safety: pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "refresh/category.h"
#include "schedule/interest.h"

namespace opic::node {

inline constexpr char kInterestKey[] = "interest";

// `wanted`: by how much, from 0 to 1, by category; what pages were worth means nothing without.
std::string InterestRow(const schedule::Interest& interest, const refresh::Factors& wanted);
// Nothing: it can be read, and was learnt when other pages were wanted. DataLoss: it cannot be
// read, or a later release has written it.
absl::StatusOr<std::optional<schedule::Interest>> InterestFromRow(std::string_view row,
                                                                  const refresh::Factors& wanted);

}  // namespace opic::node

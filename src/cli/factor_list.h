// Factors of the categories of pages, as they are given: NAME=FACTOR.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "refresh/category.h"

namespace opic::cli {

using FactorList = std::array<std::optional<double>, refresh::kCategories>;

// InvalidArgument names what is wrong, by the flag.
absl::StatusOr<FactorList> ParseFactors(const std::vector<std::string>& words,
                                        const std::string& flag);
// "html, xml, …"
std::string CategoryNames();

}  // namespace opic::cli

#include "cli/factor_list.h"

#include <fmt/core.h>

#include "absl/strings/numbers.h"
#include "refresh/factor.h"

namespace opic::cli {

absl::StatusOr<FactorList> ParseFactors(const std::vector<std::string>& words,
                                        const std::string& flag) {
  FactorList factors;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const std::optional<refresh::Category> category =
        refresh::CategoryNamed(std::string_view(word).substr(0, equals));
    double factor = 0;
    if (equals == std::string::npos || !category ||
        !absl::SimpleAtod(word.substr(equals + 1), &factor) || !refresh::IsFactor(factor)) {
      return absl::InvalidArgumentError(
          fmt::format("--{} \"{}\": must be a category ({}), \"=\" and 0 (not read again) or a "
                      "number from 0.001 to 1,000,000, for example xml=10",
                      flag, word, CategoryNames()));
    }
    factors[static_cast<size_t>(*category)] = factor;
  }
  return factors;
}

std::string CategoryNames() {
  std::string names;
  for (size_t c = 0; c < refresh::kCategories; ++c) {
    if (c > 0) names += ", ";
    names += refresh::NameOf(static_cast<refresh::Category>(c));
  }
  return names;
}

}  // namespace opic::cli

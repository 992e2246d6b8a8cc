#include "cli/suggestion.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace opic::cli {
namespace {

// Damerau-Levenshtein, of adjacent swaps (optimal string alignment).
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string Nearest(const std::string& typed, const std::vector<std::string>& words) {
  constexpr size_t kLongest = 64;
  std::string best;
  size_t least = std::max<size_t>(1, typed.size() / 3) + 1;
  if (typed.size() > kLongest) return best;
  for (const std::string& word : words) {
    const size_t distance = Distance(typed, word);
    if (distance < least) {
      least = distance;
      best = word;
    }
  }
  return best;
}

std::string DidYouMean(const std::string& meant) {
  return meant.empty() ? "" : absl::StrCat("; did you mean \"", meant, "\"?");
}

std::string WhyNoAction(const std::string& typed, const std::vector<std::string>& actions) {
  if (std::find(actions.begin(), actions.end(), typed) != actions.end()) return "";
  return absl::StrCat("\"", typed, "\" is not an action; it must be one of ",
                      absl::StrJoin(actions, ", "), DidYouMean(Nearest(typed, actions)));
}

}  // namespace opic::cli

#include "cli/ranking_file.h"

#include <cmath>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"

namespace opic::cli {

absl::StatusOr<RankingByUrl> ReadRanking(const std::string& path) {
  const absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return base::OfNamedFile(text.status());
  RankingByUrl ranking;
  size_t number = 0;
  const auto broken = [&](const char* why) {
    return absl::InvalidArgumentError(absl::StrCat(path, ", line ", number, ": ", why));
  };
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    const std::vector<absl::string_view> fields = absl::StrSplit(line, '\t');
    double importance = 0;
    if (fields.size() < 2 || fields[1].empty())
      return broken("it must have an importance, a tab and a URL");
    if (!absl::SimpleAtod(fields[0], &importance) || !(importance >= 0) || std::isinf(importance)) {
      return broken("its importance must be a number, 0 or more");
    }
    if (importance == 0) continue;
    if (!ranking.emplace(fields[1], importance).second)
      return broken("its URL stands in an earlier line, too");
  }
  if (ranking.empty())
    return absl::InvalidArgumentError(path + ": no page in it has an importance above 0");
  return ranking;
}

}  // namespace opic::cli

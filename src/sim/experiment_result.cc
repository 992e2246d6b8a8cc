#include "sim/experiment_result.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace opic::sim {

std::string Table::ToTsv() const {
  std::string tsv = absl::StrCat(absl::StrJoin(columns, "\t"), "\n");
  for (const std::vector<std::string>& row : rows)
    absl::StrAppend(&tsv, absl::StrJoin(row, "\t"), "\n");
  return tsv;
}

}  // namespace opic::sim

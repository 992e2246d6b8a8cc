#include "scheduler/store_check.h"

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "scheduler/host_record.h"

namespace opic::scheduler {
namespace {

using store::Table;

absl::Status CheckNumber(store::Store& store, const char* key) {
  ASSIGN_OR_RETURN(const std::optional<std::string> value, store.Get(Table::kMeta, key));
  if (!value) return absl::OkStatus();
  base::Decoder in(*value);
  in.Big64();
  return in.done() ? absl::OkStatus()
                   : absl::DataLossError(absl::StrCat(
                         "its row ", key, " cannot be read; restore the folder from a backup"));
}

}  // namespace

absl::Status CheckStore(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> format, store.Get(Table::kMeta, kFormatKey));
  if (format && *format != kFormat) {
    return absl::FailedPreconditionError(
        absl::StrCat("its format is \"", *format, "\", this program reads \"", kFormat, "\""));
  }
  if (!format) {
    const std::unique_ptr<store::Cursor> rows = store.Scan(Table::kMeta, "");
    RETURN_IF_ERROR(rows->status());
    if (rows->Valid()) {
      return absl::FailedPreconditionError("it holds something else than a scheduler's state");
    }
  }
  RETURN_IF_ERROR(CheckNumber(store, kAgainKey));
  RETURN_IF_ERROR(CheckNumber(store, kWaitsSinceKey));
  return CheckNumber(store, kLenderKey);
}

std::vector<std::string> CheckHosts(store::Store& store, uint64_t* hosts) {
  std::vector<std::string> problems;
  const std::unique_ptr<store::Cursor> rows = store.Scan(Table::kHost, "");
  for (*hosts = 0; rows->Valid(); rows->Next(), ++*hosts) {
    if (!DecodePace(rows->value())) {
      problems.push_back("the row of host " + std::string(rows->key()) + " cannot be read");
    }
  }
  if (!rows->status().ok()) problems.emplace_back(rows->status().message());
  return problems;
}

}  // namespace opic::scheduler

// Early return on a failed absl::Status.
//
//   RETURN_IF_ERROR(store.Write(batch));
//   ASSIGN_OR_RETURN(auto row, store.Get(key));
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#define RETURN_IF_ERROR(expression)                                                        \
  do {                                                                                     \
    if (absl::Status opic_status_ = (expression); !opic_status_.ok()) return opic_status_; \
  } while (false)

#define OPIC_CONCAT_INNER_(a, b) a##b
#define OPIC_CONCAT_(a, b) OPIC_CONCAT_INNER_(a, b)
#define OPIC_ASSIGN_OR_RETURN_(result, target, expression) \
  auto result = (expression);                              \
  if (!result.ok()) return std::move(result).status();     \
  target = *std::move(result)
#define ASSIGN_OR_RETURN(target, expression) \
  OPIC_ASSIGN_OR_RETURN_(OPIC_CONCAT_(opic_result_, __LINE__), target, expression)

namespace opic::base {

// The same status with `context` in front of its message ("opening /data: ...").
inline absl::Status WithContext(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status extended(status.code(), absl::StrCat(std::string(context), ": ", status.message()));
  status.ForEachPayload([&](absl::string_view kind, const absl::Cord& payload) {
    extended.SetPayload(kind, payload);
  });
  return extended;
}

}  // namespace opic::base

// Why something is refused, for programs: a word and some facts that travel with a status, beside
// its message, which is for people. On the wire they are a google.rpc.ErrorInfo (rpc/error_info.h).
// The words are listed in docs/operations.md, "Refusals".
//
// Thread safety: pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace opic::base {

struct Reason {
  std::string word;                          // UPPER_SNAKE_CASE, at most 63 characters
  std::map<std::string, std::string> facts;  // names in snake_case
};

// The same status with this reason, which replaces one that it had. REQUIRES: it is an error.
absl::Status WithReason(absl::Status error, std::string_view word,
                        std::map<std::string, std::string> facts = {});
// Nothing: it was given none.
std::optional<Reason> ReasonOf(const absl::Status& status);

}  // namespace opic::base

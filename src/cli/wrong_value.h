// What is said of an option whose value cannot be used.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/quoted.h"

namespace opic::cli {

// InvalidArgument: "--flag: "text" is not valid; it must be `expected`".
inline absl::Status WrongValue(const std::string& flag, std::string_view text,
                               const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": ", base::Quoted(text), " is not valid; it must be ", expected));
}

}  // namespace opic::cli

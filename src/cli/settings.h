// Where settings come from: a configuration file, OPIC_* variables, flags; later wins.
//
// All three are the same words: the flag `--in-flight 64` is the line `in-flight = 64` of the file
// and the variable OPIC_IN_FLIGHT=64. An unknown key or variable is an error. A file has one `key =
// value` a line, '#' begins a comment, a key may be repeated where its flag may; "true" and "false"
// set switches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace opic::cli {

// The arguments to parse: of each setting those of its last source. `environment` is a list of
// NAME=VALUE. Names are long names without dashes. A key of the file must be `known_here`, by the
// command that is run; a variable may belong to another command (`known_anywhere`) and is then left
// out. InvalidArgument names file and line, or the variable.
absl::StatusOr<std::vector<std::string>> GatherArguments(
    const std::vector<std::string>& command_line, const std::vector<std::string>& environment,
    const std::function<bool(const std::string&)>& known_here,
    const std::function<bool(const std::string&)>& known_anywhere);

}  // namespace opic::cli

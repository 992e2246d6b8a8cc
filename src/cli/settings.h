// Where settings come from: a configuration file, OPIC_* variables, flags; later wins.
//
// All three are the same words: the flag `--in-flight 64` is the line `in-flight = 64` of the file
// and the variable OPIC_IN_FLIGHT=64. An unknown key or variable is an error; one of another
// command or program of opic is left out, so that a file can serve them all. So is a value that
// only another command takes. A file has one `key = value` a line; '#' at the beginning or after a
// space begins a comment; a value may be in double quotes; a key may be repeated where its flag
// may; "true" and "false" set switches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/setting_source.h"

namespace opic::cli {

struct GatheredSettings {
  std::vector<std::string> arguments;  // of each setting those of its last source
  SettingSources sources;              // of those that were not on the command line
};

// Whether a command has the setting `name` and takes this value.
using TakesSetting = std::function<bool(const std::string& name, const std::string& value)>;

// `environment` is a list of NAME=VALUE. Names are long names without dashes. InvalidArgument names
// file and line, or the variable, or a file that may not be opened; NotFound: it is not there.
absl::StatusOr<GatheredSettings> GatherArguments(
    const std::vector<std::string>& command_line, const std::vector<std::string>& environment,
    const TakesSetting& taken_here, const std::function<bool(const std::string&)>& known_anywhere);

}  // namespace opic::cli

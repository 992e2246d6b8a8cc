// The options that a command was called with, to be repeated as part of another command.
//
// Thread safety: as CLI::App.
#pragma once

#include <set>
#include <string>

namespace CLI {
class App;
}

namespace opic::cli {

// " --delay 20ms --allow-private": what was typed with `app`, in the order of its help, but for the
// options in `left_out` (long names, without dashes) and what has no name. Values are quoted for a
// shell where they need it. What came from a variable is in the environment still, what came from
// a file is repeated as its --config. Secrets are not repeated (cli/secret_settings.h).
struct GivenWords {
  std::string words;
  bool secrets_left_out = false;  // kLeftOut stands in their place
};
GivenWords GivenOptions(const CLI::App& app, const std::set<std::string>& left_out);

// A word of a command that is shown, quoted for a shell where it needs it.
std::string ForShell(const std::string& word);

// The option of that name was typed with `app`.
bool IsTyped(const CLI::App& app, const std::string& name);

}  // namespace opic::cli

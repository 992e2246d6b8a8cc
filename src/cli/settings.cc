#include "cli/settings.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

constexpr size_t kConfigBytesMax = 1 << 20;

struct Setting {
  std::string name, value;
};

std::string Argument(const Setting& setting) { return "--" + setting.name + "=" + setting.value; }

// "--in-flight=64" and "--in-flight" are "in-flight"; anything else is nothing.
std::optional<std::string> LongName(const std::string& argument) {
  if (!absl::StartsWith(argument, "--") || argument.size() == 2) return std::nullopt;
  return argument.substr(
      2, argument.find('=') == std::string::npos ? std::string::npos : argument.find('=') - 2);
}

std::optional<std::string> ValueOf(const std::vector<std::string>& arguments,
                                   const std::string& name) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (LongName(arguments[i]) != name) continue;
    const size_t equals = arguments[i].find('=');
    if (equals != std::string::npos) return arguments[i].substr(equals + 1);
    return i + 1 < arguments.size() ? arguments[i + 1] : "";
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<Setting>> ReadConfig(
    const std::string& path, const std::function<bool(const std::string&)>& known) {
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kConfigBytesMax));
  std::vector<Setting> settings;
  int number = 0;
  for (const absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line[0] == '#') continue;
    const auto wrong = [&](const std::string& what) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", what));
    };
    const size_t equals = line.find('=');
    if (equals == absl::string_view::npos) return wrong("expected `key = value`");
    Setting setting{std::string(absl::StripAsciiWhitespace(line.substr(0, equals))),
                    std::string(absl::StripAsciiWhitespace(line.substr(equals + 1)))};
    if (!known(setting.name) || setting.name == "config")
      return wrong("unknown key \"" + setting.name + "\"");
    settings.push_back(std::move(setting));
  }
  return settings;
}

absl::StatusOr<std::vector<Setting>> ReadEnvironment(
    const std::vector<std::string>& environment,
    const std::function<bool(const std::string&)>& known_here,
    const std::function<bool(const std::string&)>& known_anywhere) {
  std::vector<Setting> settings;
  for (const std::string& entry : environment) {
    if (!absl::StartsWith(entry, "OPIC_")) continue;
    const size_t equals = std::min(entry.find('='), entry.size());
    std::string name = absl::AsciiStrToLower(entry.substr(5, equals - 5));
    absl::StrReplaceAll({{"_", "-"}}, &name);
    if (!known_anywhere(name)) {
      return absl::InvalidArgumentError("unknown variable " + entry.substr(0, equals) +
                                        " in the environment");
    }
    if (known_here(name) && equals < entry.size())
      settings.push_back({name, entry.substr(equals + 1)});
  }
  return settings;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> GatherArguments(
    const std::vector<std::string>& command_line, const std::vector<std::string>& environment,
    const std::function<bool(const std::string&)>& known_here,
    const std::function<bool(const std::string&)>& known_anywhere) {
  absl::flat_hash_set<std::string> taken;
  for (const std::string& argument : command_line) {
    if (const std::optional<std::string> name = LongName(argument)) taken.insert(*name);
  }
  ASSIGN_OR_RETURN(const std::vector<Setting> variables,
                   ReadEnvironment(environment, known_here, known_anywhere));
  std::vector<std::string> arguments;
  std::optional<std::string> config = ValueOf(command_line, "config");
  for (const Setting& variable : variables) {
    if (!taken.insert(variable.name).second) continue;
    if (variable.name == "config") config = variable.value;
    arguments.push_back(Argument(variable));
  }
  if (config) {
    ASSIGN_OR_RETURN(const std::vector<Setting> settings, ReadConfig(*config, known_here));
    for (const Setting& setting : settings) {
      if (!taken.contains(setting.name)) arguments.push_back(Argument(setting));
    }
  }
  arguments.insert(arguments.end(), command_line.begin(), command_line.end());
  return arguments;
}

}  // namespace opic::cli

#include "cli/program_settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/secret_settings.h"
#include "cli/setting_source.h"
#include "cli/suggestion.h"

namespace opic::cli {
namespace {

constexpr size_t kColumnOfSource = 40;

// Arguments without a name of their own are no settings.
bool IsSetting(const std::string& name) {
  static const std::set<std::string> kOthers = {"help", "version", "check-config", "print-config",
                                                "config"};
  return !name.empty() && !kOthers.contains(name);
}

std::string LongName(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : option.get_lnames().front();
}

std::vector<std::string> LongNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (const std::string name = LongName(*option); !name.empty()) names.push_back("--" + name);
  }
  return names;
}

bool IsSwitch(const CLI::Option& option) { return option.get_expected_min() == 0; }

bool IsTrueOrFalse(const std::string& value) {
  const std::string lower = absl::AsciiStrToLower(value);
  return lower == "true" || lower == "false";
}

// In which forms the commands have a setting.
struct Forms {
  bool as_switch = false, with_value = false;
};

// Of every setting of every program, by its name.
const std::map<std::string, Forms>& FormsOfAll() {
  static const std::map<std::string, Forms>& all = *[] {
    auto* forms = new std::map<std::string, Forms>();
    CLI::App scratch;
    std::vector<Command> commands = AddAllCommands(scratch);
    for (const Command& service : {AddNodeService(*scratch.add_subcommand("opic-node")),
                                   AddSchedulerService(*scratch.add_subcommand("opic-scheduler"))})
      commands.push_back(service);
    const auto add = [&](const CLI::App& app) {
      for (const CLI::Option* option : app.get_options()) {
        Forms& of_name = (*forms)[LongName(*option)];
        (IsSwitch(*option) ? of_name.as_switch : of_name.with_value) = true;
      }
    };
    for (const Command& command : commands) {
      add(*command.app);
      for (const CLI::App* inner : command.app->get_subcommands({})) add(*inner);
    }
    return forms;
  }();
  return all;
}

std::string Quoted(const std::string& value) {
  const bool as_it_is = !value.empty() && value.find('#') == value.npos && value.front() != '"' &&
                        value.front() != ' ' && value.back() != ' ';
  return as_it_is ? value : "\"" + value + "\"";
}

std::string Line(const std::string& setting, const std::string& source) {
  std::string line = setting;
  if (line.size() < kColumnOfSource) line.resize(kColumnOfSource, ' ');
  return absl::StrCat(line, "  # ", source, "\n");
}

std::string Lines(const CLI::Option& option, const std::string& name) {
  const std::string source = SourceOf(name);
  const std::string from = !source.empty() ? source : "command line";
  if (IsSwitch(option)) {
    const bool on = option.count() > 0 && option.as<bool>();
    return Line(absl::StrCat(name, " = ", on ? "true" : "false"),
                option.count() > 0 ? from : "default");
  }
  if (option.count() == 0) {
    const std::string value = option.get_default_str();
    const bool none = value.empty() || value == "[]" || value == "{}";
    return Line(none ? absl::StrCat("# ", name, " =") : absl::StrCat(name, " = ", Quoted(value)),
                none ? "not set" : "default");
  }
  std::string lines;
  for (const std::string& value : option.results()) {
    const std::string shown = WithoutSecret(name, value);
    lines += Line(absl::StrCat(name, " = ", Quoted(shown)),
                  shown == value ? from : from + "; a part is left out");
  }
  return lines;
}

std::string Expected(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (absl::StrContains(type, "UINT")) return "a whole number, not negative";
  if (absl::StrContains(type, "INT")) return "a whole number";
  if (absl::StrContains(type, "FLOAT")) return "a number";
  return IsSwitch(option) ? "true or false" : absl::StrCat("of the type ", type);
}

// "Could not convert: --in-flight = abc": the option that it names.
const CLI::Option* OptionIn(const CLI::App& app, const std::string& what) {
  const CLI::Option* named = nullptr;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = "--" + LongName(*option);
    if (name.size() == 2 || !absl::StrContains(what, name)) continue;
    if (named == nullptr || LongName(*named).size() < LongName(*option).size()) named = option;
  }
  return named;
}

std::string UnknownArgument(const CLI::App& app, const std::string& what) {
  const size_t begin = what.find("--");
  if (begin == what.npos) return what;
  const size_t end = what.find_first_of(" =", begin);
  const std::string typed = what.substr(begin, end == what.npos ? end : end - begin);
  return absl::StrCat("there is no option ", typed, DidYouMean(Nearest(typed, LongNames(app))));
}

}  // namespace

void AddSettingsFlags(CLI::App& app, const std::string& version) {
  app.add_option("--config", "file of `key = value` lines; variables OPIC_* and flags win over it");
  const std::string check = "check all settings, say what is wrong, and end";
  const std::string print = "print all settings and where each comes from, and end";
  app.add_flag("--check-config", check);
  app.add_flag("--print-config", print);
  app.set_version_flag("--version", version);
}

bool HasSetting(const CLI::App& app, const std::string& name, const std::string& value) {
  if (!IsSetting(name) && name != "config") return false;
  const CLI::Option* option = app.get_option_no_throw("--" + name);
  if (option == nullptr || !option->get_configurable()) return false;
  const auto forms = FormsOfAll().find(name);
  const bool both =
      forms != FormsOfAll().end() && forms->second.as_switch && forms->second.with_value;
  return !both || IsSwitch(*option) == IsTrueOrFalse(value);
}

bool IsSettingOfAnyProgram(const std::string& name) {
  return IsSetting(name) ? FormsOfAll().contains(name) : name == "config";
}

void CaptureDefaults(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) option->capture_default_str();
}

std::string PrintSettings(const CLI::App& app) {
  std::string text = absl::StrCat("# The settings of ", app.get_name(),
                                  ". Flags win over variables, variables over the file.\n");
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = LongName(*option);
    if (!name.empty() && IsSetting(name) && option->get_configurable())
      text += Lines(*option, name);
  }
  return text;
}

std::string ParseErrorText(const CLI::App& app, const CLI::Error& error) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
      absl::StartsWith(what, "A subcommand"))
    return "give a command";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return UnknownArgument(app, what);
  const CLI::Option* option = OptionIn(app, what);
  if (option == nullptr) return what;
  const std::string name = "--" + LongName(*option);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
      option->get_expected_max() == 1 && option->count() > 1)
    return WithSource(
        absl::StrCat(name, ": it is given ", option->count(), " times; give it once"));
  const size_t equals = what.find(" = ");
  if (dynamic_cast<const CLI::ConversionError*>(&error) == nullptr || equals == what.npos)
    return WithSource(absl::StartsWith(what, "--") ? what : absl::StrCat(name, ": ", what));
  return WithSource(absl::StrCat(name, ": \"", what.substr(equals + 3),
                                 "\" is not valid; it must be ", Expected(*option)));
}

}  // namespace opic::cli
